//! `figure threads block=X,Y`: which warp and lane each thread of a block is.

use draw::threads::Block;
use sim::Dim3;

use super::caption;
use crate::directive::Directive;
use crate::fault::Reason;
use crate::html::Markup;

pub(crate) fn threads(directive: &mut Directive) -> Result<Markup, Reason> {
    let text = directive.option("block")?;
    let own = caption(directive);
    let Dim3 { x, y, z } = text.parse().map_err(Reason::Wrong)?;
    let block = Block::new(x, y).filter(|_| z == 1);
    let block = block
        .ok_or_else(|| Reason::Wrong(format!("`block={text}` is too large to draw: at most 36,32 and 512 threads")))?;
    Ok(block.figure(own))
}
