//! One run of one hook: a small JavaScript engine, the system interface, the embedded modules.

use crate::{crash, facts, files, git_index, interrupt, modules, outside, processes, realm, stdio};
use rquickjs::{
    CatchResultExt, Context, Ctx, Error, Function, Module, Object, Persistent, Promise, Result, Runtime,
    Value,
    context::intrinsic,
    function::Func,
    loader::{ImportAttributes, Loader, Resolver},
    module::Declared,
    promise::PromiseState,
    qjs,
};
use alloc::{
    borrow::{Cow, ToOwned},
    boxed::Box,
    string::String,
    vec::Vec,
};

pub const MEMORY_LIMIT_BYTES: usize = 256 * 1024 * 1024;
/// Cycles are not worth looking for in a run of milliseconds that holds less than this.
const GARBAGE_THRESHOLD_BYTES: usize = 32 * 1024 * 1024;
const STACK_LIMIT_BYTES: usize = 2 * 1024 * 1024;

/// Only what the hooks use. `Eval` is the parser, for portable hooks of users (`realm.rs`) and for nothing else.
pub type Intrinsics = (
    intrinsic::Eval,
    intrinsic::Date,
    intrinsic::RegExpCompiler,
    intrinsic::RegExp,
    intrinsic::Json,
    intrinsic::MapSet,
    intrinsic::TypedArrays,
    intrinsic::Promise,
);

/// Modules by name: those at hand, then those of the executable.
struct Modules(Vec<(&'static str, Cow<'static, [u8]>)>);

impl Resolver for Modules {
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

impl Loader for Modules {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> Result<Module<'js, Declared>> {
        let at_hand = self.0.iter().find(|(known, _)| *known == name).map(|(_, bytes)| bytes.clone());
        let bytes = at_hand.or_else(|| modules::find(name)).ok_or_else(|| Error::new_loading(name))?;
        // SAFETY: the bytes were written by the same version of the engine at build time.
        unsafe { Module::load(ctx.clone(), &bytes) }
    }
}

/// The engine with hooks loaded and ready to be called. At build time one is made with all of them, written to
/// the executable and found there at every start; otherwise one is made for the hook at hand.
pub struct Engine {
    context: Context,
    hooks: Vec<Hook>,
}

struct Hook {
    entry: &'static str,
    start: Persistent<Function<'static>>,
    abandon: Persistent<Function<'static>>,
}

impl Engine {
    /// Loads the hooks of `entries` and the modules `also` that a hook would otherwise load on demand, and keeps
    /// the bytecode of the modules `spare` at hand.
    pub fn prepare(entries: &[&'static str], also: &[&str], spare: &[&'static str]) -> Result<Engine> {
        let runtime = new_runtime()?;
        runtime.set_memory_limit(MEMORY_LIMIT_BYTES);
        runtime.set_gc_threshold(GARBAGE_THRESHOLD_BYTES);
        runtime.set_max_stack_size(STACK_LIMIT_BYTES);
        let at_hand = spare.iter().filter_map(|name| Some((*name, modules::find(name)?))).collect();
        runtime.set_loader(Modules(Vec::new()), Modules(at_hand));
        runtime.set_interrupt_handler(Some(Box::new(interrupt::is_requested)));
        let context = Context::custom::<Intrinsics>(&runtime)?;
        let hooks = context.with(|ctx| {
            install(&ctx)?;
            let hooks = entries.iter().map(|entry| load_hook(&ctx, entry)).collect::<Result<Vec<_>>>()?;
            for name in also {
                settle::<Value<'_>>(&ctx, &Module::import(&ctx, *name)?)?;
            }
            Ok(hooks)
        });
        hooks.map(|hooks| Engine { context, hooks })
    }

    /// Lets the guard make of its tables what the payloads need, with `src/bin/native-rehearsal.ts`.
    #[cfg(target_os = "linux")]
    pub fn rehearse(&self, payloads: &[String]) -> Result<()> {
        self.context.with(|ctx| {
            let module: Object<'_> = settle(&ctx, &Module::import(&ctx, "rehearsal")?)?;
            let rehearse: Function<'_> = module.get("rehearse")?;
            settle::<Value<'_>>(&ctx, &rehearse.call((payloads.to_vec(),))?)?;
            ctx.run_gc();
            Ok(())
        })
    }

    /// Runs `start(argv)` of the hook and ends the process with the code it resolves to. What ends it early is
    /// answered by the hook's own `abandon(reason)`; only when that fails too do the last words come from a
    /// constant.
    pub fn run(&self, entry: &str, argv: Vec<String>) -> ! {
        let Some(hook) = self.hooks.iter().find(|hook| hook.entry == entry) else { crash::answer() };
        self.context.with(|ctx| {
            // SAFETY: the context is alive. An engine out of the image still knows the stack of the build.
            unsafe { qjs::JS_UpdateStackTop(qjs::JS_GetRuntime(ctx.as_raw().as_ptr())) };
            let code = match begin(&ctx, hook, argv) {
                Ok(code) => code,
                Err(error) => give_up(&ctx, &reason_of(&ctx, &error), hook),
            };
            stdio::drain();
            // Without taking the engine down: the operating system is faster at taking the memory back.
            // SAFETY: nothing buffered is left to flush, unless the engine counts what it does.
            unsafe { if cfg!(feature = "counting") { libc::exit(code) } else { libc::_exit(code) } }
        })
    }
}

#[cfg(target_os = "linux")]
fn new_runtime() -> Result<Runtime> {
    Runtime::new_with_alloc(crate::memory::EngineMemory)
}

#[cfg(not(target_os = "linux"))]
fn new_runtime() -> Result<Runtime> {
    Runtime::new()
}

fn install(ctx: &Ctx<'_>) -> Result<()> {
    let host = Object::new(ctx.clone())?;
    files::install(&host)?;
    facts::install(&host)?;
    git_index::install(&host)?;
    stdio::install(&host)?;
    processes::install(&host)?;
    outside::install(&host)?;
    realm::install(&host)?;
    host.set("load", Func::from(load))?;
    ctx.globals().set("amplihackHost", host)
}

fn load<'js>(ctx: Ctx<'js>, name: String) -> Result<Promise<'js>> {
    Module::import(&ctx, name)
}

fn load_hook(ctx: &Ctx<'_>, entry: &'static str) -> Result<Hook> {
    let module: Object<'_> = settle(ctx, &Module::import(ctx, entry)?)?;
    let save = |name: &str| module.get::<_, Function<'_>>(name).map(|function| Persistent::save(ctx, function));
    Ok(Hook { entry, start: save("start")?, abandon: save("abandon")? })
}

fn begin<'js>(ctx: &Ctx<'js>, hook: &Hook, argv: Vec<String>) -> Result<i32> {
    let code: Promise<'js> = hook.start.clone().restore(ctx)?.call((argv,))?;
    settle(ctx, &code)
}

/// Drives the engine's job queue until the promise is settled. Nothing else can settle it: children are
/// waited for inside their call.
fn settle<'js, T: rquickjs::FromJs<'js>>(ctx: &Ctx<'js>, promise: &Promise<'js>) -> Result<T> {
    while promise.state() == PromiseState::Pending {
        if !drive(ctx) {
            return Err(Error::Exception);
        }
    }
    match promise.result::<T>() {
        Some(result) => result,
        None => Err(Error::Exception),
    }
}

/// Does one thing that waits; false when there is nothing, or the time is over.
pub fn drive(ctx: &Ctx<'_>) -> bool {
    ctx.execute_pending_job() && !interrupt::is_requested()
}

fn reason_of(ctx: &Ctx<'_>, error: &Error) -> String {
    let _: Value<'_> = ctx.catch();
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

fn give_up(ctx: &Ctx<'_>, reason: &str, hook: &Hook) -> i32 {
    interrupt::abandon();
    let answered = hook
        .abandon
        .clone()
        .restore(ctx)
        .and_then(|function| function.call::<_, Option<i32>>((reason,)))
        .catch(ctx);
    match answered {
        Ok(Some(code)) => code,
        // It was not even known whom to answer.
        Ok(None) | Err(_) => crash::answer(),
    }
}
