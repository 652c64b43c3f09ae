//! Values that have parts.

use serde::{Serialize, ser};

use super::{Any, Json, Outcome, RAW_NUMBER, RAW_VALUE, Reader, SerializeError, variant};

/// A length is the word of whoever wrote the `Serialize`; no more room than this is made for it.
const ROOM_MAX: usize = 1 << 10;

/// A sequence or a tuple.
#[derive(Debug)]
pub(super) struct Items {
    reader: Reader,
    items: Vec<Any>,
    make: fn(Vec<Any>) -> Any,
    /// The enum and its variant that the items belong to.
    variant: Option<(&'static str, &'static str)>,
}

impl Items {
    pub(super) fn new(reader: Reader, len: Option<usize>, make: fn(Vec<Any>) -> Any) -> Items {
        let items = Vec::with_capacity(len.unwrap_or(0).min(ROOM_MAX));
        Items { reader, items, make, variant: None }
    }

    pub(super) fn in_variant(self, name: &'static str, variant: &'static str) -> Items {
        Items { variant: Some((name, variant)), ..self }
    }

    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerializeError> {
        self.items.push(self.reader.part(value)?);
        Ok(())
    }

    fn finish(self) -> Outcome {
        let items = (self.make)(self.items);
        Ok(match self.variant {
            Some((name, variant_name)) => variant(name, variant_name, items),
            None => items,
        })
    }
}

impl ser::SerializeSeq for Items {
    type Ok = Any;
    type Error = SerializeError;

    fn serialize_element<T: Serialize + ?Sized>(
        &mut self,
        value: &T,
    ) -> Result<(), SerializeError> {
        self.push(value)
    }

    fn end(self) -> Outcome {
        self.finish()
    }
}

impl ser::SerializeTuple for Items {
    type Ok = Any;
    type Error = SerializeError;

    fn serialize_element<T: Serialize + ?Sized>(
        &mut self,
        value: &T,
    ) -> Result<(), SerializeError> {
        self.push(value)
    }

    fn end(self) -> Outcome {
        self.finish()
    }
}

impl ser::SerializeTupleStruct for Items {
    type Ok = Any;
    type Error = SerializeError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerializeError> {
        self.push(value)
    }

    fn end(self) -> Outcome {
        self.finish()
    }
}

impl ser::SerializeTupleVariant for Items {
    type Ok = Any;
    type Error = SerializeError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerializeError> {
        self.push(value)
    }

    fn end(self) -> Outcome {
        self.finish()
    }
}

/// A map.
#[derive(Debug)]
pub(super) struct Entries {
    reader: Reader,
    entries: Vec<(Any, Any)>,
    key: Option<Any>,
}

impl Entries {
    pub(super) fn new(reader: Reader, len: Option<usize>) -> Entries {
        let entries = Vec::with_capacity(len.unwrap_or(0).min(ROOM_MAX));
        Entries { reader, entries, key: None }
    }
}

impl ser::SerializeMap for Entries {
    type Ok = Any;
    type Error = SerializeError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), SerializeError> {
        self.key = Some(self.reader.part(key)?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerializeError> {
        let Some(key) = self.key.take() else {
            return Err(SerializeError("a map has a value without a key".to_owned()));
        };
        self.entries.push((key, self.reader.part(value)?));
        Ok(())
    }

    fn end(self) -> Outcome {
        Ok(Any::Map(self.entries))
    }
}

/// A struct.
#[derive(Debug)]
pub(super) struct Fields {
    reader: Reader,
    name: &'static str,
    fields: Vec<(std::borrow::Cow<'static, str>, Any)>,
    /// The variant of the enum `name` that the fields belong to.
    variant: Option<&'static str>,
}

impl Fields {
    pub(super) fn new(reader: Reader, name: &'static str, len: usize) -> Fields {
        let fields = Vec::with_capacity(len.min(ROOM_MAX));
        Fields { reader, name, fields, variant: None }
    }

    pub(super) fn in_variant(self, variant: &'static str) -> Fields {
        Fields { variant: Some(variant), ..self }
    }

    fn push<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), SerializeError> {
        self.fields.push((key.into(), self.reader.part(value)?));
        Ok(())
    }

    /// The exact JSON that serde_json hands over in a struct of one field.
    fn raw(&self) -> Option<Json> {
        match (self.name, self.fields.as_slice()) {
            (RAW_VALUE | RAW_NUMBER, [(key, Any::Str(text))]) if key == self.name => {
                Json::parse(text.as_str()).ok()
            }
            _ => None,
        }
    }

    fn finish(self) -> Outcome {
        if let Some(json) = self.raw() {
            return Ok(Any::Raw(json));
        }
        let fields = Any::Struct { name: self.name.into(), fields: self.fields };
        Ok(match self.variant {
            Some(variant_name) => variant(self.name, variant_name, fields),
            None => fields,
        })
    }
}

impl ser::SerializeStruct for Fields {
    type Ok = Any;
    type Error = SerializeError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), SerializeError> {
        self.push(key, value)
    }

    fn end(self) -> Outcome {
        self.finish()
    }
}

impl ser::SerializeStructVariant for Fields {
    type Ok = Any;
    type Error = SerializeError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), SerializeError> {
        self.push(key, value)
    }

    fn end(self) -> Outcome {
        self.finish()
    }
}
