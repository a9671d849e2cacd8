//! How a primitive answers TypeScript: its value, or the errno name as a plain string. A success that is
//! itself text comes in a one-element array, so that the two are never confused.

use crate::errno::{self, Answer};
use alloc::vec::Vec;
use rquickjs::{Ctx, IntoJs, Result, TypedArray, Value};

pub struct Bytes(pub Vec<u8>);

impl<'js> IntoJs<'js> for Bytes {
    fn into_js(self, ctx: &Ctx<'js>) -> Result<Value<'js>> {
        TypedArray::<u8>::new(ctx.clone(), self.0).map(TypedArray::into_value)
    }
}

pub struct Reply<T>(pub Answer<T>);

impl<'js, T: IntoJs<'js>> IntoJs<'js> for Reply<T> {
    fn into_js(self, ctx: &Ctx<'js>) -> Result<Value<'js>> {
        match self.0 {
            Ok(value) => value.into_js(ctx),
            Err(code) => errno::name(code).into_js(ctx),
        }
    }
}

/// The bytes of a typed array handed in; a detached one counts as empty.
pub fn bytes_of(array: &TypedArray<'_, u8>) -> Vec<u8> {
    // SAFETY: nothing runs in the engine while the bytes are copied.
    unsafe { array.as_bytes() }.map(<[u8]>::to_vec).unwrap_or_default()
}

/// Writes numbers into an array handed in, as many as it has room for.
pub fn write_numbers(array: &TypedArray<'_, f64>, numbers: &[f64]) {
    let Some(room) = array.as_raw() else { return };
    let count = numbers.len().min(room.len() / size_of::<f64>());
    // SAFETY: the array is alive and that long, and nothing runs in the engine meanwhile.
    unsafe { core::ptr::copy_nonoverlapping(numbers.as_ptr(), room.as_ptr().cast(), count) }
}
