from gstack_browse.documents.film.actions import ActionLog
from gstack_browse.flows.log import ActedOn, DoneCommand, FlowLog

FIELD = {"role": "textbox", "tag": "input", "complete": True}
PASSWORD = ActedOn("", {**FIELD, "name": "Password", "secret": True})
PLAIN = ActedOn("", {**FIELD, "name": "Name"})
BUTTON = ActedOn("@e3", {**FIELD, "role": "button", "tag": "button", "name": "Save", "selector": "#save"})


def captions(*commands: DoneCommand, revealed: tuple[str, ...] = (), flow: FlowLog | None = None) -> list[str]:
    log = ActionLog(flow or FlowLog(), lambda: revealed)
    for place, done in enumerate(commands):
        log.add(place, place + 0.5, done, is_failed=False)
    return [facts["caption"] for facts in log.pop_records()]


def test_caption_names_the_element_of_a_ref_and_what_only_looked_has_none() -> None:
    commands = DoneCommand(["snapshot", "-i"]), DoneCommand(["text"]), DoneCommand(["click", "@e3"], [BUTTON])
    assert captions(*commands, DoneCommand(["reload"])) == ["click '#save' (button \"Save\")", "reload"]


def test_keys_that_may_be_a_password_are_hidden() -> None:
    assert captions(
        DoneCommand(["press", "x"], focused=PASSWORD, secrets=["x"]),
        DoneCommand(["press", "x"], secrets=["x"]),
        DoneCommand(["keydown", "x"]),
        DoneCommand(["press", "Enter"], focused=PASSWORD),
        DoneCommand(["press", "x"], focused=PLAIN, secrets=["x"]),
    ) == ["press (a key)", "press (a key)", "keydown (a key)", "press Enter", "press x"]


def test_secrets_typed_before_or_given_to_pages_are_hidden_everywhere() -> None:
    flow = FlowLog()
    flow.add(DoneCommand(["type", "correct horse"], focused=PASSWORD, secrets=["correct horse"]))
    told = captions(
        DoneCommand(["goto", "http://ann:hunter22@a.test/?token=abcdefgh12345678&q=correct horse"]),
        DoneCommand(["fill", "label=Name", "the-vault-value"], [PLAIN], secrets=["the-vault-value"]),
        revealed=("the-vault-value",),
        flow=flow,
    )
    for secret in ("hunter22", "abcdefgh", "correct horse", "the-vault-value"):
        assert not [caption for caption in told if secret in caption], (secret, told)
