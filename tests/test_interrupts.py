"""Signals that ask for an end: held back while books are kept, told once, and never lost."""

import os
import signal

import pytest

from toptwo.interrupts import EndingSignals, Interrupts


@pytest.fixture
def usual(monkeypatch):
    """Python's own handler of Ctrl-C, and the system's of the others."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def send(number):
    os.kill(os.getpid(), number)


def told_late(interrupts, number):
    """A signal comes while books are kept, before the next measurement."""
    send(number)
    with interrupts.welcome():
        pytest.fail("this would be a measurement")


def test_a_signal_during_the_books_is_told_once_at_the_next_welcome(usual):
    """So that what cleans up after it is not interrupted by it as well."""
    cleaned = []

    def cleaning():
        with Interrupts() as interrupts:
            try:
                told_late(interrupts, signal.SIGINT)
            finally:
                with interrupts.welcome():
                    cleaned.append(True)

    with pytest.raises(KeyboardInterrupt):
        cleaning()
    assert cleaned == [True]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_all_that_ask_for_an_end_are_alike(usual, number):
    with EndingSignals() as ending:
        with Interrupts() as interrupts, pytest.raises(KeyboardInterrupt):
            told_late(interrupts, number)
        assert ending.number == number
        assert (ending.status(130), ending.status(0)) == (128 + number, 0)
        send(number)  # the same again, a moment later
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_without_a_program_of_its_own_other_signals_stay_as_they_are(usual):
    with Interrupts():
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_what_is_ignored_stays_so(usual):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with EndingSignals() as ending, Interrupts() as interrupts, interrupts.welcome():
        send(signal.SIGINT)
    assert ending.number is None
