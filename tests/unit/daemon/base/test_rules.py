"""A caller's rules, beside those that the daemon was started with."""

import pytest

from gstack_browse.daemon.base import policy_match
from gstack_browse.errors import Refused
from gstack_browse.protocol import RULES
from gstack_browse.settings import read

OURS = {"BROWSE_ALLOW": "a.com, *.corp", "BROWSE_CONFIRM": "js"}


def test_only_a_caller_with_the_daemon_s_rules_or_none_passes() -> None:
    for said in [{}, {"BROWSE_ALLOW": "a.com,*.corp"}, {"BROWSE_CONFIRM": "js"}, OURS]:
        policy_match.check_policy_matches(said, read(OURS).rules)
    for name in RULES:
        with pytest.raises(Refused, match=f"started without {name}, not with {name}=upload") as refused:
            policy_match.check_policy_matches({name: "upload"}, read({}).rules)
        assert "gbrowse stop" in refused.value.hint
    with pytest.raises(Refused, match=r"with BROWSE_ALLOW=a\.com,\*\.corp, not with BROWSE_ALLOW=a\.com$"):
        policy_match.check_policy_matches({"BROWSE_ALLOW": "a.com"}, read(OURS).rules)
