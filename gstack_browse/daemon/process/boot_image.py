"""Import modules of a starting daemon from one image file, faster than from a file for each.

A daemon imports some 300 modules before its first reply. Python looks for each in several directories and reads it from a file
of its own. `dataclasses` and `collections` compile the methods that they write, and `re` its patterns, each time. That is more
than half of what an import costs. The image lies in the package's `__pycache__`. An entry is valid, like a .pyc file, while the
source has the noted size and time. Python imports everything else as usual.

A daemon whose image is complete holds it: it imports what a command needs when that comes, in the version with which it began.

A daemon uses this first of all, so next to nothing is imported here. See docs/decisions/0007-chromium-starts-before-the-imports.md.
"""

import marshal
import posix
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, ExtensionFileLoader, SourceFileLoader
from _thread import get_ident
from types import CodeType

import gstack_browse
from gstack_browse.workspace import descriptors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType, ModuleType
    from typing import Any

MOST_STALE = 5
"""The image is not written anew for up to so many new or changed modules."""
_FORM = 2
_HEAD = 8
"""Bytes of the first field: the length of the table that follows."""
_OWN = "./"
"""Prefix of paths relative to this package: the checkout may have been copied, with its compiled files."""
_NO_CODE = -1
"""Offset of an extension module, which has no code in the image."""

Key = tuple[str | bytes, int]
"""A pattern and its flags."""
Entry = tuple[str, int, int, bool, int, int]
"""Path, modification time (ns), size (bytes), is a package, offset and size of the code."""


class BootImage:
    """Finds modules in the image file, before Python's own finders do.

    `package`: directory of the package in whose `__pycache__` the image lies.
    """

    def __init__(self, package: str) -> None:
        self._package = package
        self._root = package.rpartition("/")[0]
        self._path = f"{package}/__pycache__/daemon.{sys.implementation.cache_tag}.image"
        self._file = -1
        self._codes_at = 0
        self._modules: dict[str, Entry] = {}
        self._methods: dict[str, CodeType] = {}
        """Source text that `dataclasses` and `collections` compile → code."""
        self._new_methods: dict[str, CodeType] = {}
        self._patterns: dict[Key, tuple[Any, ...]] = {}
        """Pattern → arguments for the engine of `re`, without the pattern's text."""
        self._new_patterns: dict[Key, tuple[Any, ...]] = {}
        self._is_held = False
        self._patched: list[tuple[dict[str, Any], str, Any]] = []
        """Replaced names: namespace, name, former value; None for a built-in."""
        try:
            self._open()
        except (OSError, EOFError, ValueError, TypeError):
            self._modules = {}  # there is none, or it is another Python's, or damaged: it will be written anew

    def _open(self) -> None:
        """Open the image (a file with the compiled code of all modules) and read its tables.

        The tables are of modules, generated methods and patterns. Raises ValueError for an image of another Python, or one that
        other users may write.
        """
        self._file = file = descriptors.open_file(None, self._path)
        status = posix.fstat(file)
        if status.st_uid not in (0, posix.geteuid()) or status.st_mode & 0o022:
            raise ValueError("others may have written it")
        size = int.from_bytes(posix.read(file, _HEAD), "little")
        kind, *tables = marshal.loads(posix.read(file, min(size, status.st_size)))  # noqa: S302 - it is believed as compiled files are
        if kind != _python_identity():
            raise ValueError("another Python")
        self._modules, self._methods, self._patterns = tables
        self._codes_at = _HEAD + size

    def install(self) -> None:
        """Put this image first in `sys.meta_path`, so that later imports take compiled code from it."""
        sys.meta_path = [self, *sys.meta_path]

    def patch_compilers(self) -> None:
        """Make `dataclasses`, `collections` and `re` reuse compiled code of the image, to import faster."""
        import collections

        self._replace(collections, "eval", self._eval)
        self._patch_pattern_compiler()
        import dataclasses  # with the help of these

        self._replace(dataclasses, "exec", self._exec)

    def _patch_pattern_compiler(self) -> None:
        """Make `re` reuse compiled patterns of the image while modules are imported, and record missing ones.

        Patterns that commands compile are not recorded: they may be made of a secret.
        """
        try:
            from re import _compiler  # type: ignore[attr-defined]

            compile_pattern, engine = _compiler.compile, _compiler._sre
        except (ImportError, AttributeError):
            return  # another `re` than we know
        compiling: dict[int, Key] = {}

        def compile_or_reuse(text: "Any", flags: int = 0) -> "Any":
            """Compile a pattern by the engine code of the image; else record that code for the next image."""
            if type(text) not in (str, bytes):
                return compile_pattern(text, flags)  # one that was read already
            key = text, int(flags)
            if known := self._patterns.get(key):
                return engine.compile(text, *known)
            if not _is_importing():
                return compile_pattern(text, flags)  # of a command, which may have made it of a secret
            compiling[get_ident()] = key
            try:
                return compile_pattern(text, flags)
            finally:
                del compiling[get_ident()]

        def note(text: "Any", *given: "Any") -> "Any":
            if key := compiling.get(get_ident()):
                flags, code, *rest = given
                self._new_patterns[key] = int(flags), [int(word) for word in code], *rest
            return engine.compile(text, *given)

        self._replace(_compiler, "compile", compile_or_reuse)
        self._replace(_compiler, "_sre", _RecordingEngine(engine, note))

    def _replace(self, module: "ModuleType", name: str, replacement: "Any") -> None:
        """Replace what `name` means in a module's namespace, until `uninstall`."""
        names = vars(module)
        self._patched.append((names, name, names.get(name)))
        names[name] = replacement

    def uninstall(self) -> None:
        """Undo `install` and `patch_compilers`; write a new image file if many modules are missing from it."""
        if self not in sys.meta_path:
            return
        from contextlib import suppress

        # Not out of the list as it is: another thread that imports may be going through that, and would miss the finder behind.
        sys.meta_path = [finder for finder in sys.meta_path if finder is not self]
        for names, name, former in self._patched:
            if former is None:
                del names[name]  # then it is Python's own
            else:
                names[name] = former
        with suppress(
            OSError, ValueError
        ):  # a package that is not ours to write to, a full disk: imports take longer
            self._write()
        if self._file >= 0:
            posix.close(self._file)
            self._file = -1
        self._methods, self._new_methods, self._patterns, self._new_patterns = {}, {}, {}, {}

    def hold(self, needed: "Sequence[str]") -> bool:
        """Import modules as the image has them from now on, even when their sources change.

        Return whether that is possible: the image has the modules `needed`, and what it has of this package is as the sources are now.
        It then has all that they import, too, since it was written after they were imported.
        """
        own = [entry for entry in self._modules.values() if entry[0].startswith(_OWN)]
        self._is_held = (
            self in sys.meta_path
            and all(name in self._modules for name in needed)
            and all(_file_stamp(self._full_path(entry[0])) == entry[1:3] for entry in own)
        )
        return self._is_held

    # imports

    def find_spec(
        self, name: str, _path: "Sequence[str] | None" = None, _target: "ModuleType | None" = None
    ) -> ModuleSpec | None:
        """Return the import spec of a module whose code in the image file is current, or held; None for other modules.

        Called by Python's import, as a MetaPathFinder.
        """
        entry = self._modules.get(name)
        if entry is None:
            return None
        source = self._full_path(entry[0])
        if not self._is_held and _file_stamp(source) != entry[1:3]:
            return None
        is_library = entry[4] == _NO_CODE
        loader = ExtensionFileLoader(name, source) if is_library else _Loader(name, source, self)
        spec = ModuleSpec(name, loader, origin=source, is_package=entry[3])
        spec.has_location = True
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(source.rpartition("/")[0])
        return spec

    def load_code(self, name: str, source: str) -> CodeType | None:
        """Return the compiled code of the module `name` from the image file; None if it cannot be read.

        `source`: path of the module's source file, for tracebacks.
        """
        import _imp

        _, _, _, _, begin, size = self._modules[name]
        try:
            code = marshal.loads(posix.pread(self._file, size, self._codes_at + begin))  # noqa: S302 - as above
        except (OSError, EOFError, ValueError, TypeError):
            return None
        if not isinstance(code, CodeType):
            return None
        _imp._fix_co_filename(code, source)  # type: ignore[attr-defined]  # as Python does with what it has compiled
        return code

    def _exec(self, text: str, names: "dict[str, Any]", local: "dict[str, Any] | None" = None) -> None:
        """Stand in for the built-in `exec` in `dataclasses`: reuse compiled code of the image."""
        exec(self._compile_text(text, "exec"), names, local)  # noqa: S102 - that is what is asked

    def _eval(self, text: str, names: "dict[str, Any]") -> "Any":
        """Stand in for the built-in `eval` in `collections`: reuse compiled code of the image."""
        return eval(self._compile_text(text, "eval"), names)  # noqa: S307 - as above

    def _compile_text(self, text: str, mode: str) -> CodeType:
        """Compile a text that `dataclasses` or `collections` generated; reuse the image's code if it has any.

        `mode`: as for the built-in `compile`.
        """
        code = self._methods.get(text) or self._new_methods.get(text)
        if code is None:
            code = self._new_methods[text] = compile(text, "<string>", mode, dont_inherit=True)
        return code

    # writing

    def _write(self) -> None:
        """Write a new image file if more than MOST_STALE imported modules are missing or outdated in it."""
        loaded = {
            name: entry
            for name, module in list(sys.modules.items())
            if (entry := self._module_entry(name, module))
        }
        valid = {
            name: entry
            for name, entry in self._modules.items()
            if _file_stamp(self._full_path(entry[0])) == entry[1:3]
        }
        new = [
            name
            for name, entry in loaded.items()
            if valid.get(name, entry)[:3] != entry[:3] or name not in valid
        ]
        if len(new) <= MOST_STALE or sys.dont_write_bytecode:
            return
        table: dict[str, Entry] = {}
        codes: list[bytes] = []
        end = 0
        for name, entry in {**valid, **loaded}.items():
            code = b"" if entry[4] == _NO_CODE else _compile_module(name, self._full_path(entry[0]), entry)
            if code is None:
                continue
            codes.append(code)
            table[name] = (*entry[:4], _NO_CODE if entry[4] == _NO_CODE else end, len(code))
            end += len(code)
        methods, patterns = {**self._methods, **self._new_methods}, {**self._patterns, **self._new_patterns}
        content: Any = (_python_identity(), table, methods, patterns)
        head = marshal.dumps(content)
        folder, _, name = self._path.rpartition("/")
        directory = descriptors.open_directory(folder)
        try:
            descriptors.replace(directory, name, len(head).to_bytes(_HEAD, "little") + head + b"".join(codes))
        finally:
            posix.close(directory)

    def _module_entry(self, name: str, module: "ModuleType") -> Entry | None:
        """Return what the image file's table says of an imported module; None if its loader is an unusual one."""
        spec = getattr(module, "__spec__", None)
        kind = type(getattr(spec, "loader", None))
        if spec is None or spec.name != name or kind not in (ExtensionFileLoader, SourceFileLoader, _Loader):
            return None
        source = spec.origin or ""
        looks = _file_stamp(source)
        if not looks or not source.startswith("/"):
            return None
        shown = _OWN + source[len(self._root) + 1 :] if source.startswith(f"{self._package}/") else source
        is_package = spec.submodule_search_locations is not None
        return shown, *looks, is_package, _NO_CODE if kind is ExtensionFileLoader else 0, 0

    def _full_path(self, shown: str) -> str:
        """Return the absolute path of a source file. `shown`: its path in the image, relative for own modules."""
        return f"{self._root}/{shown[len(_OWN) :]}" if shown.startswith(_OWN) else shown


class _RecordingEngine:
    """The C module behind `re`, with its `compile` replaced by one that records its arguments."""

    def __init__(self, engine: "Any", record: "Callable[..., Any]") -> None:
        self.compile = record
        self._engine = engine

    def __getattr__(self, name: str) -> "Any":
        return getattr(self._engine, name)


class _Loader(SourceFileLoader):
    """Python's own loader, except that the code comes from the image."""

    def __init__(self, name: str, source: str, image: BootImage) -> None:
        super().__init__(name, source)
        self._image = image

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the compiled code of a module from the image file; from its own file if it is not in there."""
        return self._image.load_code(fullname, self.path) or super().get_code(fullname)


def _is_importing() -> bool:
    """Return whether the caller was called by an import, such as by a statement at the top of a module."""
    frame: FrameType | None = sys._getframe(2)
    while frame and frame.f_code.co_filename != "<frozen importlib._bootstrap>":
        frame = frame.f_back
    return frame is not None


def _python_identity() -> tuple[object, ...]:
    """Return version, prefix and options of this Python: an image made under others is not valid."""
    return _FORM, MAGIC_NUMBER, sys.version, sys.prefix, sys.flags.optimize


def _file_stamp(source: str) -> tuple[int, int] | None:
    """Return modification time (ns) and size (bytes) of a file; None if it does not exist."""
    try:
        status = posix.stat(source)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _compile_module(name: str, source: str, entry: Entry) -> bytes | None:
    """Return the marshalled code of the module `name`, compiled from the file `source`.

    None if the file cannot be compiled, or has changed since `entry` (its time and size) was made.
    """
    try:
        code = SourceFileLoader(name, source).get_code(name)
    except (ImportError, SyntaxError, OSError):
        return None
    return marshal.dumps(code) if code and _file_stamp(source) == entry[1:3] else None


IMAGE = BootImage(gstack_browse.__path__[0])
"""The image of this process, which `daemon.__main__` installs."""
