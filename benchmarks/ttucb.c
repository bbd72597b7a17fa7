/* TTUCB on Gaussian arms of unit variance, heuristic threshold: what a tuned loop in C takes per round.
 *
 * The same algorithm on the same random streams as toptwo's engine, so that every stopping time must agree with it, and
 * with the same means to be fast: tables of sqrt(g_m(n)) and c(n, delta), cached 1/N and 1/sqrt(N), the recommended arm
 * kept up to date, the stopping statistic reused as the challenger. On top of that, what one program for one algorithm
 * can afford: constants folded, one scan for leader and stopping statistic, one well-predicted branch per arm and
 * quantity. Products and sums are not fused (-ffp-contract=off): results are those of toptwo to the last bit.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define GOLDEN 0x9E3779B97F4A7C15ULL
#define ULP 0x1p-53
#define LAYERS 256
#define EDGE 3.6541528853610088
#define TABLE (1 << 20)
#define BETA 0.5
#define ALPHA 1.2
#define S 1.2

#define LIKELY(x) __builtin_expect(x, 1)
#define CLEARLY (1.0 + 0x1p-50)
#define UNLIKELY(x) __builtin_expect(x, 0)

static double edges[LAYERS + 1], heights[LAYERS + 1];
static double *bonuses, *levels;
static double delta;

/* random streams (src/toptwo/streams.py) */

static inline uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

static inline uint64_t fork_stream(uint64_t position, uint64_t label) {
    return mix(mix(position + GOLDEN) + mix(label));
}

static inline uint64_t next_word(uint64_t *position) { return mix(*position += GOLDEN); }

static inline double unit(uint64_t bits) { return ((double)(int64_t)(bits >> 12) + 0.5) * (2.0 * ULP); }

static double tail(uint64_t bits) {
    for (;;) {
        double beyond = -log(unit(bits)) / EDGE;
        bits = mix(bits + GOLDEN);
        if (-2.0 * log(unit(bits)) > beyond * beyond) return EDGE + beyond;
        bits = mix(bits + GOLDEN);
    }
}

static __attribute__((noinline)) double outside(uint64_t bits, double size) {
    int64_t low = (int64_t)(bits >> 1);
    for (;;) {
        double sign = low & 256 ? -1.0 : 1.0;
        int64_t layer = low & 255;
        bits = mix(bits + GOLDEN);
        if (layer == 0) return sign * tail(bits);
        double height = heights[layer] + unit(bits) * (heights[layer + 1] - heights[layer]);
        if (height < exp(-0.5 * size * size)) return sign * size;
        bits = mix(bits + GOLDEN);
        low = (int64_t)(bits >> 1);
        size = (double)(low >> 10) * ULP * edges[low & 255];
        if (size < edges[(low & 255) + 1]) return low & 256 ? -size : size;
    }
}

static inline double normal(uint64_t bits) {
    int64_t low = (int64_t)(bits >> 1);
    int64_t layer = low & 255;
    double size = (double)(low >> 10) * ULP * edges[layer];
    if (UNLIKELY(size >= edges[layer + 1])) return outside(bits, size);
    uint64_t raw; /* the sign is random: set its bit rather than branch on it */
    memcpy(&raw, &size, sizeof raw);
    raw |= (uint64_t)(low & 256) << 55;
    memcpy(&size, &raw, sizeof raw);
    return size;
}

/* tables (src/toptwo/rules/bonuses.py, thresholds.py) */

static double lambert_bar(double x) {
    if (x <= 1.0) return 1.0;
    double u = x + log(x) + sqrt(2.0 * (x - 1.0)) * exp(1.0 - x);
    for (int k = 0; k < 60; k++) {
        double step = (u - log(u) - x) * u / (u - 1.0);
        u -= step;
        if (fabs(step) <= 4e-16 * u) break;
    }
    return u;
}

static double bonus_formula(int64_t n) {
    double l = log((double)n);
    return sqrt(lambert_bar(2.0 * S * ALPHA * l + 2.0 * log(2.0 + ALPHA * l) + 2.0));
}

static double level_formula(int64_t n) { return log((1.0 + log((double)n)) / delta); }

static inline double bonus(int64_t n) {
    if (UNLIKELY(n >= TABLE)) return bonus_formula(n);
    if (UNLIKELY(bonuses[n] == 0.0)) bonuses[n] = bonus_formula(n);
    return bonuses[n];
}

static inline double level(int64_t n) {
    if (UNLIKELY(n >= TABLE)) return level_formula(n);
    if (UNLIKELY(levels[n] == 0.0)) levels[n] = level_formula(n);
    return levels[n];
}

void prepare(double error_probability) {
    double density = exp(-0.5 * EDGE * EDGE);
    double area = EDGE * density + sqrt(0.5 * M_PI) * erfc(EDGE * sqrt(0.5));
    edges[0] = area / density;
    edges[1] = EDGE;
    for (int i = 2; i < LAYERS; i++)
        edges[i] = sqrt(-2.0 * log(area / edges[i - 1] + exp(-0.5 * edges[i - 1] * edges[i - 1])));
    edges[LAYERS] = 0.0;
    for (int i = 0; i <= LAYERS; i++) heights[i] = exp(-0.5 * edges[i] * edges[i]);
    free(bonuses);
    free(levels);
    bonuses = calloc(TABLE, sizeof *bonuses);
    levels = calloc(TABLE, sizeof *levels);
    delta = error_probability;
}

/* one run */

typedef struct {
    double *mean, *inverse, *root, *count, *owed, *own;
    uint64_t *rewards; /* positions of the reward streams */
    uint64_t random;   /* position of the stream that breaks ties */
} State;

static inline void pull(int64_t arm, double mean, State *state) {
    double reward = mean + normal(next_word(&state->rewards[arm]));
    double count = state->count[arm] + 1.0, inverse = 1.0 / count;
    state->count[arm] = count;
    state->inverse[arm] = inverse;
    state->root[arm] = sqrt(inverse);
    state->mean[arm] += (reward - state->mean[arm]) * inverse;
}

static int64_t recommend(int64_t best, int64_t arms, State *state) {
    const double *mean = state->mean;
    if (best >= 0) {
        int64_t i = 0;
        while (i < arms && mean[i] <= mean[best]) i++;
        if (i == arms) return best;
    }
    double top = mean[0];
    for (int64_t i = 1; i < arms; i++) top = mean[i] > top ? mean[i] : top;
    int64_t ties = 0;
    for (int64_t i = 0; i < arms; i++)
        if (mean[i] == top) {
            ties++;
            if (ties == 1 || unit(next_word(&state->random)) * (double)ties < 1.0) best = i;
        }
    return best;
}

/* The challenger when the leader is not the recommended arm: one of the arms above it, drawn uniformly. */
static inline int64_t drawn_above(int64_t leader, int64_t arms, State *state) {
    const double *restrict mean = state->mean;
    double level = mean[leader];
    int64_t above = -1, left = 0; /* the leader itself is not below its level */
    for (int64_t i = 0; i < arms; i++) above += mean[i] >= level;
    if (above > 1) left = (int64_t)(unit(next_word(&state->random)) * (double)above);
    int64_t arm = 0;
    for (;; arm++)
        if (mean[arm] >= level && arm != leader && left-- == 0) return arm;
}

static int64_t play(const double *means, int64_t arms, int64_t max_samples, State *state, int64_t *recommended) {
    double *restrict mean = state->mean, *restrict inverse = state->inverse, *restrict root = state->root;
    for (int64_t i = 0; i < arms; i++) pull(i, means[i], state);
    int64_t best = recommend(-1, arms, state);
    for (int64_t samples = arms;; samples++) {
        double width = bonus(samples + 1), top = -INFINITY, cost = INFINITY;
        double best_mean = mean[best], best_inverse = inverse[best];
        int64_t leader = -1, leaders = 1, rival = -1, rivals = 0;
        for (int64_t i = 0; i < arms; i++) {
            double index = mean[i] + width * root[i];
            if (UNLIKELY(index >= top)) {
                if (index > top) {
                    leader = i;
                    top = index;
                    leaders = 1;
                } else {
                    leaders++;
                    if (unit(next_word(&state->random)) * (double)leaders < 1.0) leader = i;
                }
            }
            double gap = best_mean - mean[i];
            double square = 0.5 * gap * gap, both = best_inverse + inverse[i];
            if (UNLIKELY(square <= cost * both * CLEARLY) && i != best) { /* most arms need no division */
                double separation = square / both;
                if (separation < cost) {
                    rival = i;
                    cost = separation;
                    rivals = 1;
                } else if (separation == cost) {
                    rivals++;
                }
            }
        }
        if (cost >= level(samples) || samples >= max_samples) {
            *recommended = best;
            return samples;
        }
        int64_t arm = leader;
        state->owed[leader] += BETA;
        if (state->own[leader] <= state->owed[leader])
            state->own[leader] += 1.0;
        else
            arm = leader == best && rivals == 1 ? rival : drawn_above(leader, arms, state);
        double before = mean[arm];
        pull(arm, means[arm], state);
        if (arm != best) {
            if (mean[arm] > mean[best]) best = arm;
        } else if (mean[arm] < before) {
            best = recommend(best, arms, state);
        }
    }
}

void play_runs(const double *means, int64_t runs, int64_t arms, int64_t max_samples, uint64_t seed, uint64_t label,
               int64_t *samples, int64_t *recommended) {
    double *rows = malloc(6 * arms * sizeof *rows);
    uint64_t *rewards = malloc(arms * sizeof *rewards);
    State state = {rows,            rows + arms,     rows + 2 * arms, rows + 3 * arms,
                   rows + 4 * arms, rows + 5 * arms, rewards,         0};
    for (int64_t run = 0; run < runs; run++) {
        uint64_t root = fork_stream(seed, (uint64_t)run);
        memset(rows, 0, 6 * arms * sizeof *rows);
        for (int64_t i = 0; i < arms; i++) rewards[i] = fork_stream(root, (uint64_t)i);
        state.random = fork_stream(root, label);
        samples[run] = play(means + run * arms, arms, max_samples, &state, &recommended[run]);
    }
    free(rows);
    free(rewards);
}
