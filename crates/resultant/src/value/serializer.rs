//! The `serde::Serializer` that keeps what JSON forgets.
//!
//! It recurses as deep as the value does, which serde leaves no way around, and stops with an error
//! at [`Any::DEPTH_MAX`], so that a value without an end is an error result and not the end of the
//! process.

mod compound;

use std::fmt;

use serde::{Serialize, Serializer, ser};

use self::compound::{Entries, Fields, Items};
use super::{any::Any, wrapper::name};
use crate::Json;

/// The names under which serde_json hands out exact text.
const RAW_VALUE: &str = "$serde_json::private::RawValue";
const RAW_NUMBER: &str = "$serde_json::private::Number";

/// Reads a value; where its `Serialize` fails, what it said is the value.
pub(super) fn read<T: Serialize + ?Sized>(value: &T) -> Any {
    match value.serialize(Reader { depth: 0, is_top: true }) {
        Ok(any) => any,
        Err(SerializeError(message)) => {
            let message = format!("the value could not be serialized: {message}");
            Any::Failure(Box::new(Any::Str(message)))
        }
    }
}

/// Why a `Serialize` implementation gave up.
#[derive(Debug)]
pub(super) struct SerializeError(String);

impl fmt::Display for SerializeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SerializeError {}

impl ser::Error for SerializeError {
    fn custom<T: fmt::Display>(message: T) -> SerializeError {
        SerializeError(message.to_string())
    }
}

type Outcome = Result<Any, SerializeError>;

/// Where in the value the reading is.
#[derive(Clone, Copy, Debug)]
struct Reader {
    depth: usize,
    /// Only wrappers that JSON does not show are around: here a `Result` is the handler's own.
    is_top: bool,
}

impl Reader {
    /// Reads a part of a value.
    fn part<T: Serialize + ?Sized>(self, value: &T) -> Outcome {
        Reader { is_top: false, ..self }.same(value)
    }

    /// Reads what is inside a wrapper.
    fn same<T: Serialize + ?Sized>(self, value: &T) -> Outcome {
        if self.depth == Any::DEPTH_MAX {
            let message = format!("it is nested more than {} deep", Any::DEPTH_MAX);
            return Err(SerializeError(message));
        }
        value.serialize(Reader { depth: self.depth + 1, ..self })
    }

    /// Reads one of our own types, which is JSON inside.
    fn own<T: Serialize + ?Sized>(self, value: &T, make: fn(Json) -> Any) -> Outcome {
        Ok(match self.part(value)? {
            Any::Raw(json) => make(json),
            other => other,
        })
    }
}

fn integer(value: impl Into<i128>) -> Outcome {
    Ok(Any::Integer(value.into()))
}

/// A variant with something in it: an object with the variant's name as its only key.
fn variant(name: &'static str, variant: &'static str, value: Any) -> Any {
    Any::Struct { name: name.into(), fields: vec![(variant.into(), value)] }
}

impl Serializer for Reader {
    type Ok = Any;
    type Error = SerializeError;
    type SerializeSeq = Items;
    type SerializeTuple = Items;
    type SerializeTupleStruct = Items;
    type SerializeTupleVariant = Items;
    type SerializeMap = Entries;
    type SerializeStruct = Fields;
    type SerializeStructVariant = Fields;

    fn serialize_bool(self, value: bool) -> Outcome {
        Ok(Any::Bool(value))
    }

    fn serialize_i8(self, value: i8) -> Outcome {
        integer(value)
    }

    fn serialize_i16(self, value: i16) -> Outcome {
        integer(value)
    }

    fn serialize_i32(self, value: i32) -> Outcome {
        integer(value)
    }

    fn serialize_i64(self, value: i64) -> Outcome {
        integer(value)
    }

    fn serialize_i128(self, value: i128) -> Outcome {
        integer(value)
    }

    fn serialize_u8(self, value: u8) -> Outcome {
        integer(value)
    }

    fn serialize_u16(self, value: u16) -> Outcome {
        integer(value)
    }

    fn serialize_u32(self, value: u32) -> Outcome {
        integer(value)
    }

    fn serialize_u64(self, value: u64) -> Outcome {
        integer(value)
    }

    fn serialize_u128(self, value: u128) -> Outcome {
        Ok(i128::try_from(value).map_or(Any::Unsigned(value), Any::Integer))
    }

    fn serialize_f32(self, value: f32) -> Outcome {
        Ok(Any::Float32(value))
    }

    fn serialize_f64(self, value: f64) -> Outcome {
        Ok(Any::Float(value))
    }

    fn serialize_char(self, value: char) -> Outcome {
        Ok(Any::Str(value.into()))
    }

    fn serialize_str(self, value: &str) -> Outcome {
        Ok(Any::Str(value.to_owned()))
    }

    fn serialize_bytes(self, value: &[u8]) -> Outcome {
        Ok(Any::Bytes(value.to_vec()))
    }

    fn serialize_none(self) -> Outcome {
        Ok(Any::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Outcome {
        self.same(value)
    }

    fn serialize_unit(self) -> Outcome {
        Ok(Any::Null)
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Outcome {
        Ok(Any::Null)
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Outcome {
        Ok(Any::Str(variant.to_owned()))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Outcome {
        match name {
            name::DATA => Ok(Any::Data(Box::new(self.part(value)?))),
            name::FAILURE => Ok(Any::Failure(Box::new(self.part(value)?))),
            name::BLOCK => self.own(value, Any::Block),
            name::RESULT => self.own(value, Any::Result),
            name::CONTENTS => self.own(value, Any::Contents),
            name::READ_RESULT => self.own(value, Any::ReadResult),
            _ => self.same(value),
        }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        _index: u32,
        variant_name: &'static str,
        value: &T,
    ) -> Outcome {
        match (self.is_top, name, variant_name) {
            (true, "Result", "Ok") => self.same(value),
            (true, "Result", "Err") => Ok(match self.part(value)? {
                failure @ Any::Failure(_) => failure,
                other => Any::Failure(Box::new(other)),
            }),
            _ => Ok(variant(name, variant_name, self.part(value)?)),
        }
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<Items, SerializeError> {
        Ok(Items::new(self, len, Any::Seq))
    }

    fn serialize_tuple(self, len: usize) -> Result<Items, SerializeError> {
        Ok(Items::new(self, Some(len), Any::Tuple))
    }

    fn serialize_tuple_struct(
        self,
        _name: &'static str,
        len: usize,
    ) -> Result<Items, SerializeError> {
        Ok(Items::new(self, Some(len), Any::Seq))
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        _index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Items, SerializeError> {
        Ok(Items::new(self, Some(len), Any::Seq).in_variant(name, variant))
    }

    fn serialize_map(self, len: Option<usize>) -> Result<Entries, SerializeError> {
        Ok(Entries::new(self, len))
    }

    fn serialize_struct(self, name: &'static str, len: usize) -> Result<Fields, SerializeError> {
        Ok(Fields::new(self, name, len))
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        _index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Fields, SerializeError> {
        Ok(Fields::new(self, name, len).in_variant(variant))
    }
}
