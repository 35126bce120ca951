"""Values that cost little to declare: the standard `dataclass`, with its work put off to the first use.

The standard decorator compiles six functions for each class when its module is loaded, which was a third
of what a cold command took. Here one `attrgetter` serves comparison, hash and repr, and only `__init__` is
compiled, with the first instance. Type checkers see the standard one. Where a class needs what this one lacks
(inheritance of fields, `init=False`, `kw_only`), use the standard one.
"""

from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any

__all__ = ["as_dict", "dataclass", "field", "replace"]


def as_dict(value: Any) -> dict[str, Any]:
    """A value's fields by name, as they are."""
    return {name: getattr(value, name) for name in value.__match_args__}


if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
else:
    _NOTHING = object()

    class _Field:
        __slots__ = ("compare", "default", "factory")

        def __init__(self, default: Any = _NOTHING, factory: Any = _NOTHING, compare: bool = True) -> None:
            self.default = default
            self.factory = factory
            self.compare = compare

    def field(*, default: Any = _NOTHING, default_factory: Any = _NOTHING, compare: bool = True) -> _Field:
        """Like `dataclasses.field`, with the options that the package uses."""
        return _Field(default, default_factory, compare)

    def replace(value: Any, /, **changes: Any) -> Any:
        """A copy of a value with some fields changed."""
        return value.__class__(**{**as_dict(value), **changes})

    def dataclass(*, frozen: bool = False, slots: bool = False) -> Callable[[type], type]:
        """Like `dataclasses.dataclass`, but cheap where the class is declared."""
        return lambda cls: _declared(cls, frozen, slots)

    def _declared(cls: type, frozen: bool, slots: bool) -> type:
        fields = {name: cls.__dict__.get(name, _NOTHING) for name in cls.__annotations__}
        fields = {name: said if isinstance(said, _Field) else _Field(said) for name, said in fields.items()}
        members = {name: value for name, value in cls.__dict__.items() if name not in ("__dict__", "__weakref__")}
        members |= {"__match_args__": tuple(fields), "__dataclass_fields__": _StandardFields(fields)}
        for name, said in fields.items():
            members.pop(name, None)
            if not slots and said.default is not _NOTHING:
                members[name] = said.default
        if slots:
            members["__slots__"] = tuple(fields)
        members |= _comparison([name for name, said in fields.items() if said.compare], frozen)
        members.setdefault("__repr__", _shown)
        if frozen:
            members |= {"__setattr__": _refuse, "__delattr__": _refuse}
            if slots:
                members |= {"__getstate__": _state, "__setstate__": _set_state}
        made = type(cls)(cls.__name__, cls.__bases__, members)
        made.__qualname__ = cls.__qualname__

        def first(self: Any, *args: Any, **named: Any) -> None:
            made.__init__ = _compiled(made, fields, frozen, slots)
            made.__init__(self, *args, **named)

        made.__init__ = first
        return made

    def _comparison(names: list[str], frozen: bool) -> dict[str, Any]:
        key = attrgetter(*names) if names else lambda _: ()

        def equal(self: Any, other: object) -> Any:
            if self is other:
                return True
            return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

        return {"__eq__": equal, "__hash__": (lambda self: hash(key(self))) if frozen else None}

    def _compiled(owner: type, fields: dict[str, _Field], frozen: bool, slots: bool) -> Callable[..., None]:
        known: dict[str, Any] = {"_nothing": _NOTHING, "_set": object.__setattr__}
        head, body = ["self"], []
        for name, said in fields.items():
            value = name
            if said.factory is not _NOTHING:
                known[f"_make_{name}"] = said.factory
                head.append(f"{name}=_nothing")
                value = f"_make_{name}() if {name} is _nothing else {name}"
            elif said.default is not _NOTHING:
                known[f"_default_{name}"] = said.default
                head.append(f"{name}=_default_{name}")
            else:
                head.append(name)
            if slots:
                # The slot's own setter is the shortest way past `__setattr__`.
                known[f"_set_{name}"] = owner.__dict__[name].__set__
                body.append(f"_set_{name}(self, {value})")
            elif frozen:
                body.append(f"_set(self, {name!r}, {value})")
            else:
                body.append(f"self.{name} = {value}")
        if hasattr(owner, "__post_init__"):
            body.append("self.__post_init__()")
        lines = "\n ".join(body or ["pass"])
        exec(f"def __init__({', '.join(head)}):\n {lines}", known)  # noqa: S102 - from names of fields alone
        made = known["__init__"]
        made.__qualname__ = f"{owner.__qualname__}.__init__"
        return made

    def _refuse(self: Any, name: str, *_: object) -> None:
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot change field {name!r}")

    def _shown(self: Any) -> str:
        return f"{self.__class__.__qualname__}({', '.join(f'{k}={v!r}' for k, v in as_dict(self).items())})"

    def _state(self: Any) -> list[Any]:
        return [getattr(self, name) for name in self.__match_args__]

    def _set_state(self: Any, state: list[Any]) -> None:
        for name, value in zip(self.__match_args__, state, strict=True):
            object.__setattr__(self, name, value)

    class _StandardFields:
        """The field objects that functions of `dataclasses` look for, made when they do."""

        def __init__(self, fields: dict[str, _Field]) -> None:
            self._fields = fields

        def __get__(self, _: object, owner: type) -> dict[str, Any]:
            import dataclasses

            def standard(said: _Field) -> Any:
                default, factory = (
                    dataclasses.MISSING if value is _NOTHING else value for value in (said.default, said.factory)
                )
                return dataclasses.field(default=default, default_factory=factory, compare=said.compare)

            types = owner.__annotations__
            made = dataclasses.make_dataclass(
                owner.__name__, [(name, types.get(name, Any), standard(said)) for name, said in self._fields.items()]
            )
            return made.__dataclass_fields__
