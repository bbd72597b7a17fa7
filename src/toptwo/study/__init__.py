"""Studies: find the best of your own options, by ask and tell or with a function that measures."""

from toptwo.study.creation import create_study, delete_study, get_all_study_names, load_study
from toptwo.study.identification import identify
from toptwo.study.pulls import Pull
from toptwo.study.study import Study
from toptwo.study.verdict import ArmReport, Verdict

__all__ = [
    "ArmReport",
    "Pull",
    "Study",
    "Verdict",
    "create_study",
    "delete_study",
    "get_all_study_names",
    "identify",
    "load_study",
]
