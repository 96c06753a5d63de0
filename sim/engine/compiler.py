"""What the engine uses of LLVM and of the undocumented parts of numba; besides this module only `engine/simd` does.

numba has no public way for any of these. Each saves a part of the time in which a loop is compiled, or makes a step of
separately compiled parts possible:

- parts are called by their addresses (`call_address`), and read tables by theirs (`TablesAt`) and numbers by theirs
  (`numbers_at_address`): the step loop is then compiled once for all models, and a call passes one number;
- functions that only compiled code calls are not optimised alone (`InnerCompiler`), which is half of the compile time,
  and pass only the stages of numba's compiler that they need: a tenth of the rest;
- the size of a type is asked of LLVM once (`_size_of`);
- one part may round a product and the sum with it once (`FusedCompiler`): numba offers this for all products or none;
- threads wait for each other at a barrier in memory: atomic operations, the clock and yielding the processor;
- the store of compiled code is watched: numba neither waits for a process that compiles the same function nor
  continues if a file is damaged (repose.sim.engine.jit).

These parts of numba change between minor versions: pyproject.toml allows one, on which the tests passed.
"""

from __future__ import annotations

import itertools
import os
import re
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba import types
from numba._dispatcher import compute_fingerprint
from numba.core import cgutils, errors
from numba.core.base import BaseContext
from numba.core.bytecode import FunctionIdentity
from numba.core.codegen import JITCodeLibrary, get_host_cpu_features
from numba.core.compiler import CompilerBase
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.registry import cpu_target
from numba.core.typed_passes import (
    AnnotateTypes,
    NativeLowering,
    NoPythonBackend,
    NoPythonSupportedFeatureValidation,
    NopythonTypeInference,
    PreLowerStripPhis,
)
from numba.core.typing.templates import AttributeTemplate
from numba.core.untyped_passes import (
    DeadBranchPrune,
    FixupArgs,
    GenericRewrites,
    IRProcessing,
    MakeFunctionToJitFunction,
    ReconstructSSA,
    RewriteSemanticConstants,
    TranslateByteCode,
)
from numba.extending import (
    NativeValue,
    infer_getattr,
    intrinsic,
    lower_getattr_generic,
    models,
    register_model,
    unbox,
)
from numba.np.numpy_support import as_dtype

__all__ = ["as_dtype", "global_compiler_lock"]

if numba.config.CPU_FEATURES is None and "+avx512vbmi2" in (features := get_host_cpu_features().split(",")):
    # LLVM uses half of the register width on Intel processors, because their clock fell at the full width before
    # Ice Lake; AMD processors never slowed down. The results have the same bits: lanes do not mix.
    numba.config.CPU_FEATURES = ",".join([*features, "-prefer-256-bit"])

FunctionIdentity._unique_ids = itertools.count(secrets.randbits(60))
"""numba distinguishes functions of equal names by a number that starts at 1 in every process. All laws are closures of
one name. Two laws compiled by two processes would get the same number and clash in a third that loads both from disk;
a random start avoids this."""

WORD = ir.IntType(64)


_ask_size = BaseContext.get_abi_sizeof
_sizes: dict[str, int] = {}


def _size_of(context: Any, kind: Any) -> int:
    """Size of a number or tuple of LLVM's type `kind` in memory [bytes].

    numba asks for it at every variable, for debug information that is off, and LLVM parses a module of its own for
    each answer: 1400 times for the heap, which took a sixteenth of its compile time.
    """
    name = str(kind)
    if name not in _sizes:
        _sizes[name] = _ask_size(context, kind)
    return _sizes[name]


BaseContext.get_abi_sizeof = _size_of


class _InnerLibrary(JITCodeLibrary):
    """Code that is only linked into its callers: it is optimised there, and no machine code is made of it alone."""

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout
        for function in module.functions:
            if not function.is_declaration:  # numba runs the passes on declarations of callees, too
                passes, builder = self._codegen._function_pass_manager()
                passes.run(function, builder)

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _InnerLowering(NativeLowering):
    """The last pass of a function that only compiled code calls."""

    _name = "inner_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = _InnerLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        known_as = object().__dir__  # a unique key by which callers find the function; it has no entry point
        state.targetctx.insert_user_function(known_as, state["cr"].fndesc, [state.library])
        state["cr"] = state["cr"]._replace(cfunc=known_as)
        return True


class _FusedLibrary(JITCodeLibrary):
    """Code in which LLVM may round a product and the sum with it once, as one instruction of the processor."""

    def _optimize_final_module(self) -> None:
        module: Any = self._final_module  # type: ignore[has-type]
        marked = re.sub(r"= (fmul|fadd|fsub) (?=double|<)", r"= \1 contract ", str(module))
        self._final_module = llvm.parse_assembly(marked)
        super()._optimize_final_module()


@register_pass(mutates_CFG=True, analysis_only=False)
class _FusedLowering(NativeLowering):
    """The last pass of a function whose code, with that of all functions it calls, is a `_FusedLibrary`."""

    _name = "fused_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = _FusedLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return bool(super().run_pass(state))


STAGES = (
    TranslateByteCode,
    FixupArgs,
    IRProcessing,
    RewriteSemanticConstants,
    DeadBranchPrune,  # of branches on the length of an argument
    GenericRewrites,
    MakeFunctionToJitFunction,
    ReconstructSSA,
    DeadBranchPrune,
    NopythonTypeInference,
    PreLowerStripPhis,
    NoPythonSupportedFeatureValidation,
    AnnotateTypes,
    NativeLowering,
    NoPythonBackend,
)
"""The stages of numba's compiler that functions inside a loop need. After most of its 27 stages numba lists the
variables of every statement once more. Left out is what such functions do not use: comprehensions, `with`, exceptions
with computed arguments, functions inlined by numba, unrolled loops, operations on whole arrays, and the ends of the
lives of variables, which only counted references need."""


class InnerCompiler(CompilerBase):
    """numba's compiler for functions inside a loop, which only compiled code calls: fewer stages, and another last
    one."""

    lowering: type = _InnerLowering

    def define_pipelines(self) -> list[Any]:
        manager = PassManager("inner")
        for stage in STAGES:
            manager.add_pass(self.lowering if stage is NativeLowering else stage, stage.__name__)
        manager.finalize()
        return [manager]


class FusedCompiler(InnerCompiler):
    """numba's compiler for a part in which a product and the sum with it may be rounded once."""

    lowering = _FusedLowering


# Parts are called by their addresses.

_argument_types: set[types.Type] = set()
"""Types of the arguments of parts; compiled code may call addresses with arguments of exactly these types."""


@intrinsic
def call_address(typing: Any, address: Any, argument: Any) -> Any:
    """The integer that the function at this address returns."""
    if argument not in _argument_types:
        raise errors.TypingError(f"No part of the step was compiled for {argument}.")

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        convention, kinds = context.call_conv, (signature.args[1],)
        pointer = convention.get_function_type(types.int64, kinds).as_pointer()
        function = builder.inttoptr(values[0], pointer)
        status, answer = convention.call_function(builder, function, types.int64, kinds, values[1:])
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return answer

    return types.int64(types.intp, argument), generate


def argument_type(argument: Any) -> types.Type:
    """Type of the argument of a part, registered as callable by compiled code."""
    kind = numba.typeof(argument)
    _argument_types.add(kind)
    return kind


def address_of(part: Any, kind: types.Type) -> int:
    """Address of a function from `repose.sim.engine.jit.compiled_part`, compiled or loaded for arguments of this
    type."""
    made = part.get_compile_result(types.int64(kind))
    return int(made.library.get_pointer_to_function(made.fndesc.llvm_func_name))


def key_of_types(values: Any) -> bytes:
    """A key that is equal for values of equal types."""
    key: bytes = compute_fingerprint(values)
    return key


# Tables are read by the address of a record (repose.sim.engine.records).


class TablesAt(types.Type):
    """numba's type of a record: in compiled code a named tuple of arrays and of such named tuples."""

    def __init__(self, owner: type, kinds: dict[str, Any]) -> None:
        """There is one type per class `owner` of named tuples; `kinds` are the types of its arrays and records."""
        self.owner, self.kinds = owner, kinds
        ends = itertools.accumulate(map(words_of, kinds.values()), initial=0)
        self.offsets = dict(zip(kinds, ends))
        """First word of each item in the record."""
        super().__init__(name=f"TablesAt({owner.__name__})")

    @property
    def key(self) -> Any:
        return self.owner


def words_of(kind: Any) -> int:
    """Number of words of these tables in a record: address and shape of each array."""
    return 1 + int(kind.ndim) if isinstance(kind, types.Array) else sum(map(words_of, kind.kinds.values()))


@register_model(TablesAt)
class _Address(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, WORD)


@infer_getattr
class _Fields(AttributeTemplate):
    key = TablesAt

    def generic_resolve(self, tables: Any, name: str) -> Any:
        return tables.kinds.get(name)


@lower_getattr_generic(TablesAt)
def table_at(context: Any, builder: Any, tables: Any, address: Any, name: str) -> Any:
    """A table of a record, or the address of a record in it, as LLVM's value."""
    kind, offset = tables.kinds[name], tables.offsets[name]
    if not isinstance(kind, types.Array):
        return builder.add(address, WORD(8 * offset))

    def word(k: int, kind: Any = WORD) -> Any:
        pointer = builder.inttoptr(builder.add(address, WORD(8 * (offset + k))), kind.as_pointer())
        loaded = builder.load(pointer, align=8)
        # Compiled code never writes to a record: LLVM may load a table once per loop instead of at every access.
        loaded.set_metadata("invariant.load", builder.module.add_metadata(()))
        return loaded

    array = context.make_array(kind)(context, builder)
    size = WORD(context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    shape = [word(1 + n) for n in range(kind.ndim)]
    strides = [size]
    for length in shape[:0:-1]:
        strides.insert(0, builder.mul(length, strides[0], flags=("nsw",)))
    array.data = word(0, array.data.type)
    array.shape = cgutils.pack_array(builder, shape)
    array.strides = cgutils.pack_array(builder, strides)
    array.itemsize = size
    count = shape[0]
    for length in shape[1:]:
        count = builder.mul(count, length, flags=("nsw",))
    array.nitems = count
    array.meminfo = cgutils.get_null_value(array.meminfo.type)
    array.parent = cgutils.get_null_value(array.parent.type)
    return array._getvalue()


@unbox(TablesAt)
def _unbox(kind: Any, record: Any, c: Any) -> Any:
    number = c.pyapi.object_getattr_string(record, "address")
    address = c.pyapi.long_as_longlong(number)
    c.pyapi.decref(number)
    return NativeValue(address, is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


# Numbers are read by their addresses (repose.sim.engine.packed).


def _type_like(like: types.Type) -> types.Type:
    if not isinstance(like, types.BaseTuple):
        return like
    items = tuple(like.types)
    if items and all(item == types.none for item in items):
        return types.Array(types.float64, len(items), "C")
    return types.BaseTuple.from_types(tuple(map(_type_like, items)), getattr(like, "instance_class", None))


@intrinsic
def numbers_at_address(typing: Any, address: Any, like: Any) -> Any:
    """The numbers at an address, of the type given by `like` (repose.sim.engine.packed.likeness)."""
    kind = _type_like(like)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if not len(kind):
            return context.make_tuple(builder, kind, ())
        pointer = builder.inttoptr(args[0], context.get_value_type(kind).as_pointer())
        return builder.load(pointer, align=8)

    return kind(types.int64, like), generate


# Threads wait for each other at a barrier (repose.sim.engine.threads).

yield_processor = types.ExternalFunction("SwitchToThread" if os.name == "nt" else "sched_yield", types.int32())


def _pointer(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    array = context.make_array(signature.args[0])(context, builder, args[0])
    return cgutils.get_item_pointer(context, builder, signature.args[0], array, [args[1]], wraparound=False)


def _atomic(operation: str) -> Any:
    @intrinsic
    def change(typing: Any, table: Any, entry: Any, value: Any) -> Any:
        """Change an entry atomically; returns its previous value."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.atomic_rmw(operation, _pointer(context, builder, signature, args), args[2], "seq_cst")

        return types.int64(table, types.intp, types.int64), generate

    return change


atomic_add, atomic_or = _atomic("add"), _atomic("or")


@intrinsic
def atomic_read(typing: Any, table: Any, entry: Any) -> Any:
    """An entry of a table, loaded atomically; writes of other threads before theirs to this entry are visible."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load_atomic(_pointer(context, builder, signature, args), "seq_cst", 8)

    return types.int64(table, types.intp), generate


@intrinsic
def clock(typing: Any) -> Any:
    """Time of a monotonic clock [ms]."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        number, word = ir.IntType(64), ir.IntType(32)
        if os.name == "nt":
            read = cgutils.get_or_insert_function(builder.module, ir.FunctionType(number, ()), "GetTickCount64")
            return builder.call(read, ())
        stamp = cgutils.alloca_once(builder, ir.LiteralStructType((number, number)))
        kind = ir.FunctionType(word, (word, stamp.type))
        read = cgutils.get_or_insert_function(builder.module, kind, "clock_gettime")
        builder.call(read, (word(time.CLOCK_MONOTONIC), stamp))
        seconds, rest = (builder.load(cgutils.gep_inbounds(builder, stamp, 0, field)) for field in (0, 1))
        return builder.add(builder.mul(seconds, number(1000)), builder.sdiv(rest, number(1_000_000)))

    return types.int64(), generate


# The store of compiled code on disk (repose.sim.engine.jit).


def store_of(dispatcher: Any) -> Any:
    """numba's store of the compiled versions of a function."""
    return dispatcher._cache


def index_key(store: Any, signature: Any) -> Any:
    """The key of a version in the index of a store: signature, processor and sources."""
    return store._index_key(signature, cpu_target.target_context.codegen())


def stored_keys(store: Any) -> Any:
    """The keys of all versions in the index of a store."""
    return store._cache_file._load_index()


def index_path(store: Any) -> Path:
    """The file of the index of a store."""
    return Path(store._cache_file._index_path)


def watch_store(
    store: Any, load: Callable[[Callable, Any, Any], Any], save: Callable[[Callable, Any, Any], None]
) -> None:
    """Have numba load and save through these functions, which get numba's own function first."""
    own_load, own_save = store.load_overload, store.save_overload
    store.load_overload = lambda signature, target: load(own_load, signature, target)
    store.save_overload = lambda signature, code: save(own_save, signature, code)
