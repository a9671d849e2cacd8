//! Environment, clock, random numbers and text.

use crate::{interrupt, reply::{Bytes, Reply, bytes_of}};
use rquickjs::{Ctx, Object, Result, TypedArray, function::Func};
use std::{
    env,
    fs::File,
    io::Read,
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

pub fn install<'js>(host: &Object<'js>) -> Result<()> {
    host.set(
        "getEnvironment",
        Func::from(|name: String| {
            let is_legal = !name.is_empty() && !name.contains(['=', '\0']);
            is_legal.then(|| env::var_os(name)).flatten().map(|value| value.to_string_lossy().into_owned())
        }),
    )?;
    host.set(
        "environmentNames",
        Func::from(|| env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned()).collect::<Vec<_>>()),
    )?;
    host.set(
        "nowMs",
        Func::from(|| SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_millis() as f64)),
    )?;
    host.set("monotonicMs", Func::from(|| interrupt::elapsed().as_secs_f64() * 1_000.0))?;
    host.set("sleepMs", Func::from(|ms: f64| thread::sleep(Duration::from_secs_f64(ms.max(0.0) / 1_000.0))))?;
    host.set("setDeadlineMs", Func::from(interrupt::set_deadline))?;
    host.set("randomHex", Func::from(|length: usize| Reply(random_hex(length).map(|text| vec![text]))))?;
    host.set("encode", Func::from(|text: String| Bytes(text.into_bytes())))?;
    host.set("decode", Func::from(decode))
}

fn random_hex(length: usize) -> std::io::Result<String> {
    let mut bytes = vec![0; length.div_ceil(2)];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    let mut text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    text.truncate(length);
    Ok(text)
}

fn decode<'js>(ctx: Ctx<'js>, bytes: TypedArray<'js, u8>) -> Result<Object<'js>> {
    let bytes = bytes_of(&bytes);
    let text = String::from_utf8_lossy(&bytes);
    let result = Object::new(ctx)?;
    result.set("replaced", matches!(text, std::borrow::Cow::Owned(_)))?;
    result.set("text", text.as_ref())?;
    Ok(result)
}
