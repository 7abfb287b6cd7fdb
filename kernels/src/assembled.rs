//! A kernel file as machine code that the simulator executes: what ptxas makes of PTX, or a cubin as it stands.

use std::collections::BTreeMap;

use cuda::sass::{SassError, Tools};
use sim::machine_code::{self, Program};
use sim::predict::timeline::Timeline;
use sim::predict::{How, Predicted};
use sim::{Launch, Options, Outcome};

/// The machine code of a file, and what launches of it have left in its variables.
#[derive(Debug, Clone)]
pub struct Assembled {
    cubin: Vec<u8>,
    compiler: Option<String>,
    /// Each kernel that was launched.
    programs: BTreeMap<String, Program>,
    /// The variables that launches have written.
    written: BTreeMap<String, Vec<u8>>,
}

impl Assembled {
    /// What ptxas makes of PTX for compute capability 9.0.
    ///
    /// # Errors
    /// [`SassError`] when there is no ptxas, or it refuses the PTX.
    pub fn of_ptx(name: &str, text: &str) -> Result<Self, SassError> {
        let tools = Tools::find()?;
        let arch = if text.contains(".target sm_90a") { "sm_90a" } else { "sm_90" };
        let cubin = tools.assemble(name, text, arch)?;
        Ok(Self { compiler: Some(tools.version), ..Self::of_cubin(cubin) })
    }

    /// A cubin as it stands.
    #[must_use]
    pub const fn of_cubin(cubin: Vec<u8>) -> Self {
        Self { cubin, compiler: None, programs: BTreeMap::new(), written: BTreeMap::new() }
    }

    /// The bytes of the cubin.
    #[must_use]
    pub fn cubin(&self) -> &[u8] {
        &self.cubin
    }

    /// PTX with the kernels of the cubin and their parameters, and nothing in them: for whoever looks names up.
    ///
    /// # Errors
    /// [`sim::Error::Input`] when it is no cubin.
    pub fn signatures(&self) -> Result<String, sim::Error> {
        let mut text = ".version 9.0\n.target sm_90\n.address_size 64\n".to_owned();
        for (kernel, parameters) in Program::signatures(&self.cubin)? {
            let parameter = |(number, size): (usize, &u32)| {
                let kind = match size {
                    1 => ".param .u8 ".to_owned(),
                    2 => ".param .u16 ".to_owned(),
                    4 => ".param .u32 ".to_owned(),
                    8 => ".param .u64 ".to_owned(),
                    _ => ".param .align 8 .b8 ".to_owned(),
                };
                let array = if matches!(size, 1 | 2 | 4 | 8) { String::new() } else { format!("[{size}]") };
                format!("{kind}{kernel}_param_{number}{array}")
            };
            let list: Vec<String> = parameters.iter().enumerate().map(parameter).collect();
            text += &format!(".visible .entry {kernel}({})\n{{\nret;\n}}\n", list.join(", "));
        }
        Ok(text)
    }

    /// Runs a launch. What it leaves in variables is there in the next one.
    ///
    /// # Errors
    /// As [`Program::load`] and [`machine_code::simulate`].
    pub fn run(&mut self, kernel: &str, launch: &Launch, options: &Options) -> Result<Outcome, sim::Error> {
        let outcome = machine_code::simulate(self.program(kernel)?, launch, options)?;
        self.keep(&outcome);
        Ok(outcome)
    }

    /// The same, and predicts how long it takes: the report has the prediction.
    ///
    /// # Errors
    /// As [`Program::load`] and [`machine_code::simulate_timed`].
    pub fn run_timed(
        &mut self,
        kernel: &str,
        launch: &Launch,
        options: &Options,
        how: &How,
    ) -> Result<(Outcome, Timeline), sim::Error> {
        let (outcome, timeline) = machine_code::simulate_timed(self.program(kernel)?, launch, options, how)?;
        self.keep(&outcome);
        Ok((outcome, timeline))
    }

    /// Predicts how long a launch takes from a sample of its blocks; it changes nothing.
    ///
    /// # Errors
    /// As [`Program::load`] and [`machine_code::predict`].
    pub fn predict(
        &mut self,
        kernel: &str,
        launch: &Launch,
        options: &Options,
        how: &How,
    ) -> Result<Predicted, sim::Error> {
        machine_code::predict(self.program(kernel)?, launch, options, how)
    }

    fn program(&mut self, kernel: &str) -> Result<&Program, sim::Error> {
        if !self.programs.contains_key(kernel) {
            let mut program = Program::load(&self.cubin, kernel)?;
            program.set_compiler(self.compiler.clone());
            for (name, bytes) in &self.written {
                program.write_variable(name, bytes);
            }
            self.programs.insert(kernel.to_owned(), program);
        }
        Ok(&self.programs[kernel])
    }

    fn keep(&mut self, outcome: &Outcome) {
        for (name, bytes) in &outcome.variables {
            self.written.insert(name.clone(), bytes.clone());
            for program in self.programs.values_mut() {
                program.write_variable(name, bytes);
            }
        }
    }
}
