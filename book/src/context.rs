//! What directives are filled from: runs of cases that exist, and links to the sources' pages. Figures, tables and values
//! take it, and know no filler.

use std::collections::BTreeMap;
use std::rc::Rc;

use sim::Report;

use crate::access::Access;
use crate::code::line_id;
use crate::directive::Directive;
use crate::fault::Reason;
use crate::html::{Markup, Render, html};
use crate::runs::{MachineRun, Run, Runs};

/// The runs that a part of a page is made from, and the ways from its chapter to the rest of the site.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    /// What has been run and recorded.
    pub(crate) runs: &'a dyn Runs,
    /// For every source file that has a page: the page, from the site's root.
    pub(crate) pages: &'a BTreeMap<String, String>,
    /// The way from the chapter to the site's root: `../` or nothing.
    pub(crate) to_root: &'a str,
    /// The way from the chapter to the pages that are made for it, such as `checks/`.
    pub(crate) below: &'a str,
}

impl Context<'_> {
    /// The run of a kernel's case, both of which must exist.
    pub(crate) fn run(&self, kernel: &str, case: &str) -> Result<Rc<Run>, Reason> {
        self.check_case(kernel, case)?;
        self.runs.run(kernel, case).map_err(Reason::Contradicted)
    }

    /// The same on another GPU.
    pub(crate) fn run_on(&self, kernel: &str, case: &str, target: &str) -> Result<Rc<Run>, Reason> {
        self.check_case(kernel, case)?;
        self.runs.run_on(kernel, case, target).map_err(Reason::Contradicted)
    }

    /// A case, executed as machine code; both kernel and case must exist.
    pub(crate) fn machine(&self, kernel: &str, case: &str, launched: Option<&str>) -> Result<Rc<MachineRun>, Reason> {
        self.check_case(kernel, case)?;
        self.runs.machine(kernel, case, launched).map_err(Reason::Contradicted)
    }

    /// The launches of a case with all details, both of which must exist.
    pub(crate) fn detailed(&self, kernel: &str, case: &str) -> Result<Rc<Vec<Report>>, Reason> {
        self.check_case(kernel, case)?;
        self.runs.detailed(kernel, case).map_err(Reason::Contradicted)
    }

    /// Whether a line of a source that a report names has `text` in it.
    pub(crate) fn line_has(&self, path: &str, line: u32, text: &str) -> Result<bool, Reason> {
        let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let source = self.runs.source(file)?;
        Ok(source.lines().nth(line.saturating_sub(1) as usize).is_some_and(|own| own.contains(text)))
    }

    /// Makes sure that kernel and case exist.
    pub(crate) fn check_case(&self, kernel: &str, case: &str) -> Result<(), Reason> {
        self.kernel(kernel)?;
        let cases = self.runs.cases(kernel);
        if !cases.iter().any(|known| known == case) {
            let cases: Vec<String> = cases.iter().map(|case| format!("\"{case}\"")).collect();
            return Err(Reason::Wrong(format!("{kernel} has no case \"{case}\"; there are {}", cases.join(", "))));
        }
        Ok(())
    }

    /// Makes sure that a kernel exists.
    pub(crate) fn kernel(&self, kernel: &str) -> Result<(), Reason> {
        let known = self.runs.kernels();
        if known.iter().any(|known| known == kernel) {
            return Ok(());
        }
        Err(Reason::Wrong(format!("there is no kernel `{kernel}`; there are {}", known.join(", "))))
    }

    /// What an access of a warp costs: wavefronts of shared memory, sectors of global memory.
    pub(crate) fn cost(&self, access: &Access) -> Result<u64, Reason> {
        self.runs.access(access).map_err(Reason::Contradicted)
    }

    /// `label` as a link to a line of a source, if the source has a page.
    pub(crate) fn link(&self, file: &str, line: u32, label: impl Render) -> Markup {
        match self.pages.get(file) {
            Some(page) => html! { a href={ (self.to_root) (page) "#" (line_id(file, line)) } { (label) } },
            None => label.render(),
        }
    }
}

/// Whether the numbers of this directive must have been measured too.
pub(crate) fn recorded(directive: &mut Directive) -> Result<bool, Reason> {
    match directive.maybe("measured").as_deref() {
        None | Some("yes") => Ok(true),
        Some("no") => Ok(false),
        Some(other) => Err(Reason::Wrong(format!("`measured={other}` is neither `measured=yes` nor `measured=no`"))),
    }
}
