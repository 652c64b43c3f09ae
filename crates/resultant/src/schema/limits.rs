//! The caps on schemas and on checking against them.

/// The caps that apply to a schema and to checking values against it.
///
/// A schema comes from a stranger, and so does the value. A schema over a cap is rejected with a
/// reason; a value over one is not checked, and the verdict says why.
///
/// ```
/// use resultant::{Json, Schema, SchemaLimits, Verdict};
///
/// let limits = SchemaLimits { instance_bytes_max: 16, ..Default::default() };
/// let schema = Schema::compile(&Json::bool(true), &limits)?;
/// let verdict = schema.check(&Json::string("longer than sixteen bytes"));
/// assert!(matches!(verdict, Verdict::Unchecked(_)));
/// # Ok::<(), resultant::SchemaError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaLimits {
    /// A longer schema is rejected.
    pub schema_bytes_max: usize,
    /// A schema nested deeper is rejected.
    pub schema_depth_max: usize,
    /// A schema with more subschemas is rejected; also one where more than this many apply to a
    /// single value once its references are followed.
    pub subschemas_max: usize,
    /// A schema is rejected when so many subschemas apply to one value one through the other
    /// (`$ref` to `$ref`, `allOf` in `anyOf`).
    pub chain_max: usize,
    /// A longer pattern is ignored, like one the engine cannot run.
    pub pattern_bytes_max: usize,
    /// A pattern that needs more memory than this when compiled is ignored.
    pub pattern_compiled_bytes_max: usize,
    /// Of more distinct patterns than this, the rest is ignored.
    pub patterns_max: usize,
    /// A longer value is not checked.
    pub instance_bytes_max: usize,
    /// A value nested deeper is not checked.
    pub instance_depth_max: usize,
    /// How deep checking may call itself: the depth of the value times the longest chain of
    /// subschemas. Over it the value is not checked.
    pub check_depth_max: usize,
    /// How much work a check may be. A step is one look at one value; a byte that a pattern may be
    /// run over is 4 steps, or up to 256 in a schema with a large pattern. The steps are counted
    /// while checking, because the library has no clock; at the cap the check is given up. The
    /// default is less than a second of ordinary work, such as a table of 100,000 rows, and a few
    /// seconds of the worst that a hostile pattern can make of it.
    pub check_steps_max: u64,
}

impl Default for SchemaLimits {
    fn default() -> Self {
        SchemaLimits {
            schema_bytes_max: 256 << 10,
            schema_depth_max: 64,
            subschemas_max: 10_000,
            chain_max: 128,
            pattern_bytes_max: 1 << 10,
            pattern_compiled_bytes_max: 256 << 10,
            patterns_max: 256,
            instance_bytes_max: 8 << 20,
            instance_depth_max: 128,
            check_depth_max: 1_024,
            check_steps_max: 20_000_000,
        }
    }
}
