"""Build the flow of an import from another tool's format, and list what was lost."""

from dataclasses import dataclass, field

from gstack_browse.flows.file import Flow, Step, Variable
from gstack_browse.flows.secret_variables import find_likely_secrets, split_at_value, unused_name
from gstack_browse.flows.words import Variable as InWord
from gstack_browse.flows.words import Word, literal
from gstack_browse.text.secrets import is_secret_name

MOST_IMPORTED = 1000


@dataclass(frozen=True)
class Imported:
    """A flow, and for each thing that could not be imported a line that says so."""

    flow: Flow
    losses: list[str]


@dataclass
class FlowBuilder:
    """Collects the steps of an imported flow, and what of the other tool's steps is lost.

    Values for secrets become variables without a value.
    """

    steps: list[Step] = field(default_factory=list)
    losses: list[str] = field(default_factory=list)
    variables: dict[str, Variable] = field(default_factory=dict)

    def add(self, *words: str | Word) -> None:
        """Add a step. Texts that look like secrets become variables."""
        if len(self.steps) < MOST_IMPORTED:
            self.steps.append(Step(tuple(self._make_word(word, index) for index, word in enumerate(words))))

    def _make_word(self, word: str | Word, index: int) -> Word:
        """Return a step's word, with variables for secrets. `index` 0: the command's name, kept as it is."""
        if isinstance(word, Word) or not index:
            return word if isinstance(word, Word) else literal(word)
        parts: list[str | InWord] = [word] if word else []
        for name, value in find_likely_secrets(word):
            variable = self.declare_secret(name)
            parts = [piece for part in parts for piece in split_at_value(part, value, variable)]
        return Word(tuple(parts))

    def add_loss(self, where: str, what: str) -> None:
        """Note that something of the import is lost. `where`: the other tool's step; `what`: the reason."""
        self.losses.append(f"{where}: {what}")

    def value_for(self, target: str, value: str) -> str | Word:
        """Return the value to type into the field `target`; a new secret variable if that names a secret."""
        return Word((InWord(self.declare_secret("password")),)) if value and is_secret_name(target) else value

    def declare_secret(self, proposal: str) -> str:
        """Declare a secret variable with a name made of `proposal`, and return its name."""
        name = unused_name(proposal, set(self.variables))
        self.variables[name] = Variable(name, is_secret=True)
        return name

    def finish(self) -> Imported:
        """Return the flow of the steps added so far, with a line for each thing that could not be imported."""
        return Imported(Flow(tuple(self.steps), tuple(self.variables.values())), self.losses)
