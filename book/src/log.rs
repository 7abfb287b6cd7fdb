//! Listens to what mdBook logs. mdBook reports some mistakes in a book's configuration only as a log message and
//! builds on; we do not.

use std::fmt::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// Runs `work` and returns, beside its result, the warnings and errors that were logged on this thread meanwhile.
pub(crate) fn listen<T>(work: impl FnOnce() -> T) -> (T, Vec<String>) {
    let complaints = Arc::new(Mutex::new(Vec::new()));
    let result = tracing::subscriber::with_default(Listener { complaints: Arc::clone(&complaints) }, work);
    let complaints = std::mem::take(&mut *complaints.lock().unwrap_or_else(PoisonError::into_inner));
    (result, complaints)
}

struct Listener {
    complaints: Arc<Mutex<Vec<String>>>,
}

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::WARN
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let level = if *event.metadata().level() == Level::ERROR { "error" } else { "warning" };
        let mut text = Text(String::new());
        event.record(&mut text);
        self.complaints.lock().unwrap_or_else(PoisonError::into_inner).push(format!("{level}: {}", text.0));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Writes an event's message, and its other fields after it.
struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing to a string cannot fail.
        let _ = match field.name() {
            "message" => write!(self.0, "{value:?}"),
            name => write!(self.0, " {name}={value:?}"),
        };
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn warnings_and_errors_are_heard_and_the_rest_is_not() {
        let (result, complaints) = super::listen(|| {
            tracing::info!("building");
            tracing::warn!("careful");
            tracing::error!(file = "a.md", "wrong");
            7
        });
        assert_eq!(result, 7);
        assert_eq!(complaints, ["warning: careful", "error: wrong file=\"a.md\""]);
    }
}
