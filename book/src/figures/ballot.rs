//! `figure ballot bits="FORMULA of lane"`: a ballot of a warp, and for every lane the number of set bits below it.

use super::caption;
use crate::directive::Directive;
use crate::fault::Reason;
use crate::html::Markup;
use crate::value;

pub(crate) fn ballot(directive: &mut Directive) -> Result<Markup, Reason> {
    let formula = directive.option("bits")?;
    let own = caption(directive);
    let mask = value::ballot(&formula)?;
    Ok(draw::ballot::figure(mask, own))
}
