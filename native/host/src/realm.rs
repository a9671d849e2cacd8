//! Users' portable hooks: text that is evaluated in a realm of its own and called under a limit of its own. Texts and
//! numbers go in and out, no object does. Whatever it does, the caller goes on.

use crate::{
    clock,
    engine::{Intrinsics, MEMORY_LIMIT_BYTES, drive},
    interrupt,
};
use alloc::{
    borrow::ToOwned,
    format,
    string::String,
};
use core::ptr::NonNull;
use rquickjs::{
    CaughtError, Ctx, Error, Function, Object, Result, Value,
    convert::List,
    context::{EvalOptions, Intrinsic},
    function::Func,
    qjs,
};

/// Of the memory of a run; hooks of users have the rest, all together.
const RESERVE_BYTES: usize = 64 * 1024 * 1024;

pub fn install<'js>(host: &Object<'js>) -> Result<()> {
    host.set("openRealm", Func::from(open_realm))
}

/// A new realm in which `text`, the expression of the function that starts a hook (`src/hooks/user/realm.ts`), was
/// evaluated. What is returned runs one hook there. One realm is opened when the image is made and waits in it.
fn open_realm<'js>(ctx: Ctx<'js>, text: String) -> Result<Function<'js>> {
    let realm = new_realm(&ctx)?;
    let start: Function<'js> = evaluate(&realm, text).map_err(|_| Error::Exception)?;
    let run = move |ctx: Ctx<'js>,
                    hook: Hook,
                    answer: Function<'js>,
                    begin: Function<'js>,
                    is_ended: Function<'js>,
                    timeout_ms: f64|
          -> Option<String> {
        let outer = interrupt::tighten_deadline(timeout_ms);
        // What hooks take, and keep, leaves the rest of the run enough for its answer.
        limit_memory(&ctx, MEMORY_LIMIT_BYTES - RESERVE_BYTES);
        let result = run_hook(&ctx, &realm, &start, hook, answer, &begin, &is_ended);
        limit_memory(&ctx, MEMORY_LIMIT_BYTES);
        let is_late = interrupt::is_requested();
        interrupt::restore_deadline(outer);
        match result {
            Ok(true) => None,
            _ if is_late => Some(format!("it gave no answer within {timeout_ms} ms")),
            Ok(false) => Some("it gave no answer: it waits for something that never comes".into()),
            Err(error) => Some(message_of(&realm, error)),
        }
    };
    Function::new(ctx, run)
}

/// Text: the expression of a function that loads it, the name of what it exports, and what it is given.
type Hook = List<(String, String, String)>;

/// A context of the same engine with built-in objects of its own. It is never freed: the process ends soon.
fn new_realm<'js>(ctx: &Ctx<'js>) -> Result<Ctx<'js>> {
    // SAFETY: the engine is alive and in use by this thread alone, which holds it as long as `ctx` lives.
    unsafe {
        let raw = qjs::JS_NewContextRaw(qjs::JS_GetRuntime(ctx.as_raw().as_ptr()));
        let raw = NonNull::new(raw).ok_or(Error::Allocation)?;
        qjs::JS_AddIntrinsicBaseObjects(raw.as_ptr());
        Intrinsics::add_intrinsic(raw);
        Ok(Ctx::from_raw(raw))
    }
}

fn limit_memory(ctx: &Ctx<'_>, bytes: usize) {
    // SAFETY: the engine is alive and in use by this thread alone.
    unsafe { qjs::JS_SetMemoryLimit(qjs::JS_GetRuntime(ctx.as_raw().as_ptr()), bytes as _) };
}

fn evaluate<'js>(realm: &Ctx<'js>, text: String) -> Result<Function<'js>> {
    let mut options = EvalOptions::default();
    options.strict = false;
    realm.eval_with_options(text, options)
}

/// Calls the hook with the way out, gives the way in to `begin`, and works off what waits until `is_ended` says so.
fn run_hook<'js>(
    ctx: &Ctx<'js>,
    realm: &Ctx<'js>,
    start: &Function<'js>,
    List((code, export_name, given)): Hook,
    answer: Function<'js>,
    begin: &Function<'js>,
    is_ended: &Function<'js>,
) -> Result<bool> {
    // Its text is evaluated outside of the function that knows the way out.
    let load = evaluate(realm, code)?;
    let home = ctx.clone();
    let outside = Function::new(realm.clone(), move |name: String, args: String| -> String {
        answer.call((name, args)).unwrap_or_else(|_: Error| {
            // What was thrown is an object of the caller's: it stays here.
            let _: Value<'_> = home.catch();
            "{\"problem\":\"the program around the hook failed\"}".to_owned()
        })
    })?;
    let seed = clock::now_ms() * 1e6 % 4_294_967_296.0;
    let resume: Function<'js> = start.call((load, export_name, given, outside, seed))?;
    let inside = realm.clone();
    let way_in = Function::new(ctx.clone(), move |id: f64, said: String| {
        if resume.call::<_, Value<'_>>((id, said)).is_err() {
            let _: Value<'_> = inside.catch();
        }
    })?;
    let _: Value<'js> = begin.call((way_in,))?;
    loop {
        if is_ended.call(())? {
            return Ok(true);
        }
        if !drive(ctx) {
            return is_ended.call(());
        }
    }
}

fn message_of(ctx: &Ctx<'_>, error: Error) -> String {
    match CaughtError::from_error(ctx, error) {
        CaughtError::Exception(exception) => exception.message().unwrap_or_else(|| "it threw an error without a message".into()),
        CaughtError::Value(_) => "it threw something that is not an error".into(),
        CaughtError::Error(_) => "the engine failed".into(),
    }
}
