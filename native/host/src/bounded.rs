//! Users' portable hooks: text that is evaluated and called under a limit of its own. Whatever it does, the caller goes
//! on.

use crate::{engine::drive, interrupt};
use alloc::{format, string::String};
use rquickjs::{CaughtError, Ctx, Error, Function, Object, Result, Value, context::EvalOptions, function::Func};

pub fn install<'js>(host: &Object<'js>) -> Result<()> {
    host.set("runBounded", Func::from(run_bounded))
}

/// Evaluates an expression, calls `user` with its value, and works off what waits until `is_ended` says so. Returns why
/// it did not come to that, or nothing.
fn run_bounded<'js>(
    ctx: Ctx<'js>,
    text: String,
    user: Function<'js>,
    is_ended: Function<'js>,
    timeout_ms: f64,
) -> Option<String> {
    let outer = interrupt::tighten_deadline(timeout_ms);
    let result = evaluate(&ctx, text, &user, &is_ended);
    let is_late = interrupt::is_requested();
    interrupt::restore_deadline(outer);
    match result {
        Ok(true) => None,
        _ if is_late => Some(format!("it gave no answer within {timeout_ms} ms")),
        Ok(false) => Some("it gave no answer: it waits for something that never comes".into()),
        Err(error) => Some(message_of(&ctx, error)),
    }
}

fn evaluate<'js>(ctx: &Ctx<'js>, text: String, user: &Function<'js>, is_ended: &Function<'js>) -> Result<bool> {
    let mut options = EvalOptions::default();
    options.strict = false;
    let value: Value<'js> = ctx.eval_with_options(text, options)?;
    let _: Value<'js> = user.call((value,))?;
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
        CaughtError::Value(_) => "it threw something that is no error".into(),
        CaughtError::Error(_) => "the engine failed".into(),
    }
}
