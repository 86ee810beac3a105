from gstack_browse.flows.secret_variables import SecretVariables
from gstack_browse.flows.words import Variable, Word, literal
from gstack_browse.text.redact import REDACTED


def test_however_many_secrets_there_are_each_has_a_variable_of_its_own() -> None:
    secrets = SecretVariables()
    names = {secrets.assign_variable(f"secretvalue{number}", "password").name for number in range(1000)}
    assert len(names) == 1000
    assert secrets.replace_known_secrets("secretvalue999") == Word((Variable("password_1000"),))
    assert secrets.replace_known_secrets("x secretvalue999") == Word(("x ", Variable("password_1000")))


def test_address_full_of_secrets_is_masked_as_a_whole() -> None:
    """Names for so many would take minutes: the address comes from a page."""
    flood = "&".join(f"token=abcd{number:06}" for number in range(50_000))
    assert SecretVariables().replace_secrets(f"http://a.example/?{flood}") == literal(REDACTED)
