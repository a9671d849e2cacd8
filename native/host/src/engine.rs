//! One run of one hook: a small JavaScript engine, the system interface, the embedded modules.

use crate::{files, interrupt, modules::MODULES, outside, processes, stdio};
use rquickjs::{
    CatchResultExt, Context, Ctx, Error, Function, Module, Object, Persistent, Promise, Result, Runtime,
    context::intrinsic,
    function::Func,
    loader::{ImportAttributes, Loader, Resolver},
    module::Declared,
    promise::PromiseState,
};

const MEMORY_LIMIT_BYTES: usize = 256 * 1024 * 1024;
/// Cycles are not worth looking for in a run of milliseconds that holds less than this.
const GARBAGE_THRESHOLD_BYTES: usize = 32 * 1024 * 1024;
const STACK_LIMIT_BYTES: usize = 2 * 1024 * 1024;

/// Only what the hooks use; `Eval` is the engine's ability to run modules, no text is ever evaluated.
type Intrinsics = (
    intrinsic::Date,
    intrinsic::Eval,
    intrinsic::RegExpCompiler,
    intrinsic::RegExp,
    intrinsic::Json,
    intrinsic::MapSet,
    intrinsic::TypedArrays,
    intrinsic::Promise,
);

struct Embedded;

impl Resolver for Embedded {
    fn resolve<'js>(
        &mut self,
        _: &Ctx<'js>,
        _: &str,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> Result<String> {
        Ok(name.trim_start_matches("./").trim_end_matches(".js").to_owned())
    }
}

impl Loader for Embedded {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> Result<Module<'js, Declared>> {
        let (_, bytes) =
            MODULES.iter().find(|(known, _)| *known == name).ok_or_else(|| Error::new_loading(name))?;
        // SAFETY: the bytes were written by the same version of the engine at build time.
        unsafe { Module::load(ctx.clone(), bytes) }
    }
}

/// Runs `start(argv)` of the entry module and returns the exit code it resolves to. What ends it early is
/// answered by the module's own `abandon(reason)`; only when that fails too do the last words come from a
/// constant.
pub fn run(entry: &str, argv: Vec<String>) -> ! {
    let Ok(runtime) = Runtime::new() else { interrupt::last_words() };
    runtime.set_memory_limit(MEMORY_LIMIT_BYTES);
    runtime.set_gc_threshold(GARBAGE_THRESHOLD_BYTES);
    runtime.set_max_stack_size(STACK_LIMIT_BYTES);
    runtime.set_loader(Embedded, Embedded);
    runtime.set_interrupt_handler(Some(Box::new(interrupt::is_requested)));
    let Ok(context) = Context::custom::<Intrinsics>(&runtime) else { interrupt::last_words() };
    context.with(|ctx| {
        let mut abandon: Option<Persistent<Function<'static>>> = None;
        let code = match begin(&ctx, entry, argv, &mut abandon) {
            Ok(code) => code,
            Err(error) => give_up(&ctx, &reason_of(&ctx, &error), abandon),
        };
        // Without taking the engine down: the operating system is faster at taking the memory back.
        // SAFETY: nothing buffered is left to flush.
        unsafe { libc::_exit(code) }
    })
}

fn begin<'js>(
    ctx: &Ctx<'js>,
    entry: &str,
    argv: Vec<String>,
    abandon: &mut Option<Persistent<Function<'static>>>,
) -> Result<i32> {
    let host = Object::new(ctx.clone())?;
    files::install(&host)?;
    stdio::install(&host)?;
    processes::install(&host)?;
    outside::install(&host)?;
    host.set("load", Func::from(|ctx: Ctx<'js>, name: String| Module::import(&ctx, name)))?;
    ctx.globals().set("amplihackHost", host)?;
    let module = Embedded.load(ctx, entry, None)?;
    let (module, evaluated) = module.eval()?;
    settle::<()>(ctx, &evaluated)?;
    *abandon = Some(Persistent::save(ctx, module.get::<_, Function<'js>>("abandon")?));
    let start: Function<'js> = module.get("start")?;
    let code: Promise<'js> = start.call((argv,))?;
    settle(ctx, &code)
}

/// Drives the engine's job queue until the promise is settled. Nothing else can settle it: children are
/// waited for inside their call.
fn settle<'js, T: rquickjs::FromJs<'js>>(ctx: &Ctx<'js>, promise: &Promise<'js>) -> Result<T> {
    while promise.state() == PromiseState::Pending {
        if !ctx.execute_pending_job() {
            return Err(Error::Exception);
        }
        if interrupt::is_requested() {
            return Err(Error::Exception);
        }
    }
    match promise.result::<T>() {
        Some(result) => result,
        None => Err(Error::Exception),
    }
}

fn reason_of(ctx: &Ctx<'_>, error: &Error) -> String {
    let _: rquickjs::Value<'_> = ctx.catch();
    if interrupt::is_terminated() {
        "told to end by SIGTERM before the answer was ready".to_owned()
    } else if interrupt::is_requested() {
        "no answer before the deadline".to_owned()
    } else if matches!(error, Error::Allocation) {
        "the engine ran out of memory".to_owned()
    } else {
        "the engine failed".to_owned()
    }
}

fn give_up<'js>(ctx: &Ctx<'js>, reason: &str, abandon: Option<Persistent<Function<'static>>>) -> i32 {
    interrupt::abandon();
    let answered = abandon
        .ok_or(Error::Unknown)
        .and_then(|saved| saved.restore(ctx))
        .and_then(|function| function.call::<_, Option<i32>>((reason,)))
        .catch(ctx);
    match answered {
        Ok(code) => code.unwrap_or(0),
        Err(_) => interrupt::last_words(),
    }
}
