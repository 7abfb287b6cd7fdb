//! The directive that runs kernels on several GPUs, of which only one can have been measured.

use crate::context::Context;
use crate::directive::Directive;
use crate::fault::Reason;
use crate::html::{Markup, Table, code, html, row, text, texts};
use crate::quantity::Quantity;

/// `targets kernels="A B" case="C" targets="g80 h200" rows="label; label"`: what kernels cost by the rules of each GPU.
pub(crate) fn targets(context: &Context<'_>, directive: &mut Directive) -> Result<Markup, Reason> {
    let (kernels, case) = (directive.option("kernels")?, directive.option("case")?);
    let (names, rows) = (directive.option("targets")?, directive.option("rows")?);
    let mut table = Table { text_columns: 2, ..Table::default() };
    table.heads = texts(["kernel", "counter"]);
    let known = names.split_whitespace().map(|name| sim::target::find(name).ok_or_else(|| sim::target::unknown(name)));
    let targets = known.collect::<Result<Vec<_>, _>>()?;
    table.heads.extend(texts(targets.iter().map(|target| target.summary().gpu)));
    for kernel in kernels.split_whitespace() {
        for name in rows.split(';') {
            let quantity = Quantity::find(name.trim(), context.runs)?;
            let mut cells = row![code(kernel), quantity.name];
            for target in &targets {
                let value = quantity.simulated(&*context.run_on(kernel, &case, &target.name)?);
                let value = value.ok_or_else(|| format!("`{}` is known of measured GPUs only", quantity.name))?;
                cells.push(text(quantity.show(value)));
            }
            table.rows.push(cells);
        }
    }
    table.caption = html! { (case) ". Simulated for this page by the rules of each GPU; the PTX counts as it stands." };
    Ok(table.html())
}
