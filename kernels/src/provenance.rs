//! Where the numbers of a record come from.

/// Today's date, as records have it.
pub(crate) fn today() -> String {
    time::OffsetDateTime::now_utc().date().to_string()
}
