//! What answers requests: reads the envelope, does what is asked, and keeps the modules that were loaded.

use std::collections::BTreeMap;

use data::workbook;
use serde_json::Value;
use sim::Module;
use sim::report::digest;

use crate::protocol::{
    About, Answer, Done, Failure, FailureKind, Kernel, Load, Loaded, ModuleRef, OPERATIONS, Operation, Outcome,
    Parameter, VERSION,
};
use crate::running;
use crate::stepping::Sessions;

/// Modules that are kept; the oldest goes first.
const KEPT: usize = 16;

/// An engine. Its answers depend on nothing but the requests.
#[derive(Debug, Default)]
pub struct Engine {
    /// Modules by hash, the oldest first.
    modules: Vec<(String, Module)>,
    sessions: Sessions,
}

impl Engine {
    /// The answer to a request, as JSON in one line.
    pub fn answer(&mut self, request: &[u8]) -> String {
        let (id, outcome) = match serde_json::from_slice::<Value>(request) {
            Ok(envelope) => {
                let id = envelope.get("id").and_then(Value::as_u64).unwrap_or(0);
                (id, self.opened(envelope))
            }
            Err(why) => (0, Err(Failure::input(format!("this is no request: {why}")))),
        };
        let outcome = outcome.map_or_else(Outcome::Error, |done| Outcome::Ok(Box::new(done)));
        serde_json::to_string(&Answer { id, outcome }).unwrap_or_else(|why| {
            format!(r#"{{"id":{id},"error":{{"kind":"internal","message":"the answer is no JSON: {why}"}}}}"#)
        })
    }

    /// Opens the envelope.
    fn opened(&mut self, envelope: Value) -> Result<Done, Failure> {
        let Value::Object(mut fields) = envelope else {
            return Err(Failure::input("this is no request: a request is an object"));
        };
        let version = fields.remove("v").and_then(|version| version.as_u64());
        if version != Some(VERSION.into()) {
            let message = format!("this engine speaks version {VERSION} of the protocol, and not `v` of this request");
            return Err(Failure { kind: FailureKind::Unsupported, message });
        }
        if fields.remove("id").and_then(|id| id.as_u64()).is_none() {
            return Err(Failure::input("this is no request: it has no `id`, a whole number"));
        }
        let operation = fields.get("op").and_then(Value::as_str).unwrap_or_default();
        if !OPERATIONS.contains(&operation) {
            let message = format!("this engine has no operation `{operation}`; it has {}", OPERATIONS.join(", "));
            return Err(Failure { kind: FailureKind::Unsupported, message });
        }
        let operation = serde_json::from_value(Value::Object(fields));
        match operation.map_err(|why| Failure::input(format!("this is no request: {why}")))? {
            Operation::Hello(_) => Ok(Done::Hello(about())),
            Operation::Load(load) => self.load(&load).map(Done::Load),
            Operation::Run(request) => {
                let module = self.module(&request.module)?;
                running::run(&module, &request).map(Done::Run)
            }
            Operation::Open(request) => {
                let module = self.module(&request.module)?;
                self.sessions.open(&module, &request)
            }
            Operation::Step(request) => self.sessions.step(&request),
            Operation::Seek(request) => self.sessions.seek(&request),
            Operation::Find(request) => self.sessions.look_for(&request),
            Operation::View(request) => self.sessions.view(&request),
            Operation::Close(request) => Ok(self.sessions.close(request.session)),
        }
    }

    /// The module that a request names, or brings along. A copy shares all that is large.
    fn module(&mut self, named: &ModuleRef) -> Result<Module, Failure> {
        let hash = match named {
            ModuleRef::Hash(hash) => hash.clone(),
            ModuleRef::Text(load) => self.load(load)?.module,
        };
        let module = self.modules.iter().find(|(own, _)| *own == hash).map(|(_, module)| module.clone());
        module.ok_or_else(|| Failure::input(format!("no module `{hash}` is loaded")))
    }

    /// Reads PTX, unless it is there already.
    fn load(&mut self, load: &Load) -> Result<Loaded, Failure> {
        // The name stands in messages, so it belongs to what a module is.
        let hash = digest(format!("{}\n{}", load.name, load.ptx).as_bytes());
        if !self.modules.iter().any(|(own, _)| *own == hash) {
            let module = Module::parse(&load.name, &load.ptx)?;
            if self.modules.len() == KEPT {
                self.modules.remove(0);
            }
            self.modules.push((hash.clone(), module));
        }
        let module = self.modules.iter().find(|(own, _)| *own == hash).map(|(_, module)| module);
        Ok(Loaded { kernels: module.map(kernels).unwrap_or_default(), module: hash })
    }
}

/// What is in a module.
fn kernels(module: &Module) -> Vec<Kernel> {
    let parameter = |own: sim::Parameter| Parameter { name: own.name, element: own.element, bytes: own.bytes };
    let kernel = |name: &str| {
        let entry = module.entry(name)?;
        Some(Kernel {
            name: name.to_owned(),
            parameters: entry.params.into_iter().map(parameter).collect(),
            required_threads: entry.required_threads,
            max_threads: entry.max_threads,
        })
    };
    module.kernels().into_iter().filter_map(kernel).collect()
}

fn about() -> About {
    let kinds = |problem: &str| workbook::kinds(problem).into_iter().map(str::to_owned).collect();
    let inputs: BTreeMap<_, _> = workbook::PROBLEMS.iter().map(|own| ((*own).to_owned(), kinds(own))).collect();
    About {
        engine: format!("warpbook {}", env!("CARGO_PKG_VERSION")),
        protocol: VERSION,
        sources: env!("WARPBOOK_ENGINE").to_owned(),
        operations: OPERATIONS.map(str::to_owned).into(),
        targets: sim::targets().into_iter().map(str::to_owned).collect(),
        inputs,
    }
}

#[cfg(test)]
mod tests;
