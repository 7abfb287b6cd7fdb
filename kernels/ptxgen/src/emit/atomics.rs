//! Atomic operations and fences.

use super::function::Writer;
use super::registers::Class;
use crate::Error;
use crate::ir::{Access, Operand};
use crate::spaces;
use crate::types::Type;

impl Writer<'_, '_> {
    /// The modifiers of scope and space, after the fence that an ordering needs before it.
    fn before(&mut self, access: &Access, space: u32) -> Result<(String, Option<String>), Error> {
        let (scope, ordering) = access.atomic.clone().unwrap_or_default();
        let name = match spaces::name(space) {
            Some(name @ ("global" | "shared")) => format!(".{name}"),
            None => String::new(),
            Some(name) => return Err(self.unsupported(format!("an atomic operation on {name} memory"))),
        };
        let scope = self.scope(&scope)?;
        let (before, after) = match &*ordering {
            "acquire" => (None, Some("acq_rel")),
            "release" => (Some("acq_rel"), None),
            "acq_rel" => (Some("acq_rel"), Some("acq_rel")),
            "seq_cst" => (Some("sc"), Some("acq_rel")),
            _ => (None, None),
        };
        if let Some(order) = before {
            self.line(format!("fence.{order}.{scope};"));
        }
        Ok((name, after.map(|order| format!("fence.{order}.{scope};"))))
    }

    /// `atomicrmw`.
    pub(super) fn atomic(
        &mut self,
        op: &str,
        pointer: &Operand,
        value: &Operand,
        access: &Access,
    ) -> Result<Vec<String>, Error> {
        let class = self.class(&value.ty)?;
        let bits = class.bits();
        let small = value.ty.store_size() < 4;
        let half = matches!(value.ty, Type::Half) && op == "fadd";
        if small && !half || class == Class::Pred {
            return Err(self.unsupported(format!("the atomic `{op}` of {}", value.ty.name())));
        }
        let (name, operand) = match op {
            "add" => (format!("add.u{bits}"), None),
            "sub" => {
                let own = self.register(value)?;
                let minus = self.make(class, &format!("neg.s{bits}"), &[&own]);
                (format!("add.u{bits}"), Some(minus))
            }
            "and" | "or" | "xor" => (format!("{op}.b{bits}"), None),
            "xchg" => (format!("exch.b{bits}"), None),
            "max" | "min" => (format!("{op}.s{bits}"), None),
            "umax" | "umin" => (format!("{}.u{bits}", &op[1..]), None),
            "uinc_wrap" if bits == 32 => ("inc.u32".into(), None),
            "udec_wrap" if bits == 32 => ("dec.u32".into(), None),
            "fadd" if half => ("add.noftz.f16".into(), None),
            "fadd" => (format!("add.f{bits}"), None),
            "fsub" if bits >= 32 => {
                let own = self.register(value)?;
                let minus = self.make(class, &format!("neg.f{bits}"), &[&own]);
                (format!("add.f{bits}"), Some(minus))
            }
            _ => return Err(self.unsupported(format!("the atomic `{op}`"))),
        };
        let address = self.usable(pointer)?;
        let operand = match operand {
            Some(operand) => operand,
            None => {
                let operand = if matches!(value.ty, Type::Ptr(_)) { self.pointer(value)? } else { self.piece(value)? };
                if matches!(value.ty, Type::Half) { self.in_register(class, &operand) } else { operand }
            }
        };
        // Accesses by the whole GPU are what PTX means where it names no scope; wider ones mean the same on one GPU.
        let narrow = access.atomic.as_ref().is_some_and(|(scope, _)| scope == "block" || scope == "workgroup");
        // LLVM leaves the orderings of these to the fences that its front end writes.
        let relaxed =
            Access { atomic: access.atomic.clone().map(|(scope, _)| (scope, "monotonic".into())), ..access.clone() };
        let (space, _) = self.before(&relaxed, address.space)?;
        let scope = if narrow { ".cta" } else { "" };
        Ok(vec![self.make(class, &format!("atom{scope}{space}.{name}"), &[&Self::place(&address, 0), &operand])])
    }

    /// `cmpxchg`: the old value, and whether it was the expected one.
    pub(super) fn exchange(
        &mut self,
        pointer: &Operand,
        expected: &Operand,
        new: &Operand,
        access: &Access,
    ) -> Result<Vec<String>, Error> {
        let class = self.class(&new.ty)?;
        let bits = class.bits();
        if !matches!(new.ty.store_size(), 2 | 4 | 8) || class == Class::Pred {
            return Err(self.unsupported(format!("`cmpxchg` of {}", new.ty.name())));
        }
        let address = self.usable(pointer)?;
        let is_pointer = matches!(new.ty, Type::Ptr(_));
        let expected = if is_pointer { self.pointer(expected)? } else { self.register(expected)? };
        let new = if is_pointer { self.pointer(new)? } else { self.register(new)? };
        let (scope, _) = access.atomic.clone().unwrap_or_default();
        let scope = self.scope(&scope)?;
        let (space, after) = self.before(access, address.space)?;
        let place = Self::place(&address, 0);
        let head = format!("atom.relaxed.{scope}{space}.cas.b{bits}");
        let old = self.make(class, &head, &[&place, &expected, &new]);
        if let Some(fence) = after {
            self.line(fence);
        }
        let same = self.make(Class::Pred, &format!("setp.eq.b{bits}"), &[&old, &expected]);
        Ok(vec![old, same])
    }

    /// `fence`.
    pub(super) fn fence(&mut self, scope: &str, ordering: &str) -> Result<(), Error> {
        if scope == "singlethread" {
            return Ok(());
        }
        let scope = self.scope(scope)?;
        let order = if ordering == "seq_cst" { "sc" } else { "acq_rel" };
        self.line(format!("fence.{order}.{scope};"));
        Ok(())
    }
}
