//! Parts of vectors, arrays and structures. They are kept scalar by scalar, so most of this writes nothing.

use super::function::Writer;
use super::registers::Class;
use crate::Error;
use crate::ir::{Kind, Operand};
use crate::types::Type;

impl Writer<'_, '_> {
    /// Where the part that indices name begins, and how many scalars it has.
    fn place_of_part(&self, ty: &Type, indices: &[u64]) -> Result<(usize, usize), Error> {
        let (mut at, mut ty) = (0, ty);
        for &index in indices {
            let (part, before) =
                ty.part(index).ok_or_else(|| self.our_fault("an index goes into what has no parts"))?;
            at += before;
            ty = part;
        }
        Ok((at, ty.scalar_count()))
    }

    fn index(&self, index: &Operand, ty: &Type) -> Result<Option<usize>, Error> {
        let Type::Vector(count, _) = ty else { return Err(self.our_fault("a vector is none")) };
        match index.int() {
            Some(index) if index < u128::from(*count) => Ok(Some(index as usize)),
            // Beyond the end the result is undefined.
            Some(_) => Ok(Some(0)),
            None => Ok(None),
        }
    }

    /// What takes values apart and puts them together.
    pub(super) fn rearranged(&mut self, kind: &Kind, _ty: &Type) -> Result<Vec<String>, Error> {
        match kind {
            Kind::ExtractValue { value, indices } => {
                let (at, count) = self.place_of_part(&value.ty, indices)?;
                Ok(self.pieces(value)?[at..at + count].to_vec())
            }
            Kind::InsertValue { value, part, indices } => {
                let (at, count) = self.place_of_part(&value.ty, indices)?;
                let mut pieces = self.pieces(value)?;
                let part = self.pieces(part)?;
                pieces.splice(at..at + count, part);
                Ok(pieces)
            }
            Kind::ExtractElement { value, index } => {
                let pieces = self.pieces(value)?;
                let each = value.ty.scalar().scalar_count();
                if let Some(at) = self.index(index, &value.ty)? {
                    return Ok(pieces[at * each..(at + 1) * each].to_vec());
                }
                let class = self.class(value.ty.scalar())?;
                let mut chosen = pieces[0].clone();
                for (lane, piece) in pieces.iter().enumerate().skip(1) {
                    let is = self.is_lane(index, lane)?;
                    chosen = self.choose(class, &is, piece, &chosen);
                }
                Ok(vec![chosen])
            }
            Kind::InsertElement { value, part, index } => {
                let mut pieces = self.pieces(value)?;
                let part = self.pieces(part)?;
                let each = value.ty.scalar().scalar_count();
                if let Some(at) = self.index(index, &value.ty)? {
                    pieces.splice(at * each..(at + 1) * each, part);
                    return Ok(pieces);
                }
                let class = self.class(value.ty.scalar())?;
                for (lane, piece) in pieces.iter_mut().enumerate() {
                    let is = self.is_lane(index, lane)?;
                    *piece = self.choose(class, &is, &part[0], piece);
                }
                Ok(pieces)
            }
            Kind::Shuffle { a, b, mask } => {
                let mut pieces = self.pieces(a)?;
                pieces.extend(self.pieces(b)?);
                let each = a.ty.scalar().scalar_count();
                let mut all = Vec::new();
                for lane in mask {
                    let at = lane.unwrap_or(0) as usize * each;
                    let own = pieces.get(at..at + each).ok_or_else(|| self.our_fault("a mask names no element"))?;
                    all.extend_from_slice(own);
                }
                Ok(all)
            }
            _ => Err(self.our_fault("nothing is rearranged")),
        }
    }

    fn is_lane(&mut self, index: &Operand, lane: usize) -> Result<String, Error> {
        let (text, class) = self.extended(index, false)?;
        let text = self.in_register(class, &text);
        Ok(self.make(Class::Pred, &format!("setp.eq.b{}", class.bits()), &[&text, &lane.to_string()]))
    }
}
