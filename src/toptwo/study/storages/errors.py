"""What databases say, in one sentence each, with the remedy."""

from toptwo.errors import StorageAwayError, StudyError

IMMUTABLE = "or, if nobody writes to it, read it as sqlite:///file:PATH?immutable=1&uri=true"

CROWDED = "the server has no connection left: end others, or raise its max_connections; then run the same again"

REMEDIES = (
    ("database is locked", "others kept it locked for a minute: try again, or look for a process that hangs"),
    ("file is not a database", "the file is no database, or is damaged: restore a copy, or give another file"),
    ("malformed", "the file is damaged: restore a copy"),
    ("readonly", f"the file or its folder is read-only: allow writing, then run the same again, {IMMUTABLE}"),
    ("read-only", "it is read-only: allow writing, then run the same again"),
    (
        "unable to open database file",
        f"the folder does not exist or may not be used: create it, give another path, {IMMUTABLE}",
    ),
    ("disk is full", "the disk is full: nothing was lost; make room, then run the same again"),
    ("disk i/o error", "the disk failed or is full: nothing was lost; make room, then run the same again"),
    ("input/output error", "the disk failed: look after it, then run the same again"),
    ("no space left", "the disk is full: nothing was lost; make room, then run the same again"),
    ("quota exceeded", "the disk's quota is used up: nothing was lost; make room, then run the same again"),
    ("too many clients", CROWDED),
    ("connection slots are reserved", CROWDED),
    ("too many connections", CROWDED),
    ("lock timeout", "others kept it locked for a minute: try again, or look for a process that hangs"),
    ("idle-in-transaction", "this process stood still in its turn, which was taken away: run the same again"),
    ("idle in transaction", "this process stood still in its turn, which was taken away: run the same again"),
    ("password", "the password is wrong or missing: write postgresql+psycopg://user:password@host/database"),
    ("permission denied", "this user may not do that: let the owner grant it the right, or give another user"),
    ('relation "', "tables are missing: restore a copy, or give another database"),
    ("failed to resolve host", "there is no such host, or no network: correct the URL, then run the same again"),
    ("does not exist", "there is no such database or user: create it, or correct the URL"),
    ("connection refused", "no server answers there: start it, or correct the URL; then run the same again"),
    ("no such file or directory", "no server answers there: start it, or correct the URL; then run the same again"),
    ("timeout", "the server does not answer: run the same again when it does"),
    ("closed the connection", "the server went away: what was told is kept; run the same again when it is back"),
    ("terminating connection", "the server went away: what was told is kept; run the same again when it is back"),
    ("connection is lost", "the server went away: what was told is kept; run the same again when it is back"),
    ("connection is closed", "the server went away: what was told is kept; run the same again when it is back"),
    ("starting up", "the server is starting: run the same again in a moment"),
    ("shutting down", "the server is being shut down: run the same again when it is back"),
    ("recovery mode", "the server recovers from a crash: run the same again in a moment"),
    ("too many clients", "the server has no connection left: run the same again when others have finished"),
    ("connection slots", "the server has no connection left: run the same again when others have finished"),
    ("connection failed", "no server answers there: start it, or correct the URL; then run the same again"),
    ("no such table", "tables are missing: restore a copy, or give another file"),
)

AWAY = (
    "database is locked",
    "connection refused",
    "no such file or directory",
    "timeout",
    "closed the connection",
    "terminating connection",
    "connection is lost",
    "connection is closed",
    "starting up",
    "shutting down",
    "recovery mode",
    "too many clients",
    "connection slots",
    "connection failed",
)
"""What says that nobody answers for now: waiting may help."""


def explained(problem: Exception, address: str) -> StudyError:
    """Return what went wrong in a sentence."""
    said = str(getattr(problem, "orig", None) or problem).strip()
    lowered = said.lower()
    first = said.splitlines()[0] if said else type(problem).__name__
    for words, remedy in REMEDIES:
        if words in lowered:
            kind = StorageAwayError if words in AWAY else StudyError
            return kind(f"storage {address}: {remedy} ({first}).")
    return StudyError(f"storage {address} failed: {first}; nothing was changed.")
