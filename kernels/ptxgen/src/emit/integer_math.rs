//! LLVM's own intrinsics of integers: extremes, bits, funnel shifts, saturation, overflow.

use super::function::Writer;
use super::registers::{Class, number};
use crate::Error;
use crate::types::Type;

impl Writer<'_, '_> {
    pub(super) fn int_math(
        &mut self,
        base: &str,
        ty: &Type,
        result: &Type,
        own: &[String],
    ) -> Result<Option<String>, Error> {
        let Type::Int(bits) = *ty else { return Ok(None) };
        let class = self.class(ty)?;
        if class == Class::Pred {
            return Ok(match base {
                "smax" | "umin" => Some(self.int_binary("and", ty, &own[0], &own[1])?),
                "smin" | "umax" => Some(self.int_binary("or", ty, &own[0], &own[1])?),
                _ => None,
            });
        }
        let width = class.bits();
        let signed = matches!(base, "smin" | "smax" | "abs" | "sadd.sat" | "ssub.sat" | "scmp");
        let mut x = self.extend(&own[0], ty, class, signed);
        x = self.in_register(class, &x);
        Ok(Some(match base {
            "abs" => self.make(class, &format!("abs.s{width}"), &[&x]),
            "smin" | "smax" | "umin" | "umax" => {
                let y = self.extend(&own[1], ty, class, signed);
                self.make(class, &format!("{}.{}{width}", &base[1..], &base[..1]), &[&x, &y])
            }
            "scmp" | "ucmp" => {
                let word = Type::Int(width);
                let y = self.extend(&own[1], ty, class, signed);
                let sign = &base[..1];
                let less = self.compare_ints(&format!("{sign}lt"), &word, &x, &y)?;
                let more = self.compare_ints(&format!("{sign}gt"), &word, &x, &y)?;
                let target = self.class(result)?;
                let up = self.choose(target, &more, "1", "0");
                self.choose(target, &less, "-1", &up)
            }
            "ctpop" | "ctlz" | "cttz" | "bitreverse" | "bswap" => self.bits_of(base, bits, class, &x)?,
            "fshl" | "fshr" => return self.funnel(base, bits, class, own),
            "uadd.sat" | "usub.sat" | "sadd.sat" | "ssub.sat" => {
                return self.saturating(base, bits, class, own).map(Some);
            }
            _ => return Ok(None),
        }))
    }

    fn bits_of(&mut self, base: &str, bits: u32, class: Class, text: &str) -> Result<String, Error> {
        // PTX counts and turns words of 32 and 64 bits.
        let (wide, word) = if class == Class::B64 {
            (text.to_owned(), Class::B64)
        } else {
            (self.widen(text, &Type::Int(class.bits()), class, Class::B32, false), Class::B32)
        };
        let above = word.bits() - bits;
        let name = word.name();
        let count = |writer: &mut Self, op: &str, text: &str| writer.make(Class::B32, &format!("{op}.{name}"), &[text]);
        let narrow = |writer: &mut Self, text: String, from: Class| {
            if from == class {
                text
            } else if from.bits() > class.bits() {
                writer.make(class, &format!("cvt.u{}.u{}", class.bits(), from.bits()), &[&text])
            } else {
                writer.widen(&text, &Type::Int(from.bits()), from, class, false)
            }
        };
        match base {
            "ctpop" => {
                let made = count(self, "popc", &wide);
                Ok(narrow(self, made, Class::B32))
            }
            "ctlz" => {
                let mut made = count(self, "clz", &wide);
                if above > 0 {
                    made = self.make(Class::B32, "sub.s32", &[&made, &above.to_string()]);
                }
                Ok(narrow(self, made, Class::B32))
            }
            "cttz" => {
                // Of zero there are as many as it has bits.
                let guarded = if above > 0 {
                    let bit = number(1 << bits, word.bits());
                    self.make(word, &format!("or.{name}"), &[&wide, &bit])
                } else {
                    wide
                };
                let turned = self.make(word, &format!("brev.{name}"), &[&guarded]);
                let made = count(self, "clz", &turned);
                Ok(narrow(self, made, Class::B32))
            }
            "bitreverse" => {
                let mut turned = self.make(word, &format!("brev.{name}"), &[&wide]);
                if above > 0 {
                    turned = self.make(word, &format!("shr.u{}", word.bits()), &[&turned, &above.to_string()]);
                }
                Ok(narrow(self, turned, word))
            }
            _ => {
                let made = match bits {
                    16 => self.make(Class::B32, "prmt.b32", &[&wide, "0", "0x7701"]),
                    32 => self.make(Class::B32, "prmt.b32", &[&wide, "0", "0x0123"]),
                    64 => {
                        let pair = self.split(&wide, Class::B64, 32)?;
                        let low = self.make(Class::B32, "prmt.b32", &[&pair[1], "0", "0x0123"]);
                        let high = self.make(Class::B32, "prmt.b32", &[&pair[0], "0", "0x0123"]);
                        self.join(&[low, high], Class::B64, 32)?
                    }
                    _ => return Err(self.unsupported(format!("`llvm.bswap` of i{bits}"))),
                };
                Ok(narrow(self, made, if bits == 64 { Class::B64 } else { Class::B32 }))
            }
        }
    }

    fn funnel(&mut self, base: &str, bits: u32, class: Class, own: &[String]) -> Result<Option<String>, Error> {
        let ty = Type::Int(bits);
        if bits == 32 {
            let (high, low) = (self.in_register(class, &own[0]), self.in_register(class, &own[1]));
            let side = if base == "fshl" { "l" } else { "r" };
            return Ok(Some(self.make(class, &format!("shf.{side}.wrap.b32"), &[&low, &high, &own[2]])));
        }
        if !bits.is_power_of_two() || bits != class.bits() && bits != 8 {
            return Ok(None);
        }
        // The amount counts modulo the width. The other half is shifted in two steps, so that none is by the whole width.
        let amount = self.int_binary("and", &ty, &own[2], &(bits - 1).to_string())?;
        let most = number(u64::from(bits - 1), bits);
        let inverse = self.int_binary("xor", &ty, &amount, &most)?;
        let (first, second) = if base == "fshl" {
            let half = self.int_binary("lshr", &ty, &own[1], "1")?;
            (self.int_binary("shl", &ty, &own[0], &amount)?, self.int_binary("lshr", &ty, &half, &inverse)?)
        } else {
            let half = self.int_binary("shl", &ty, &own[0], "1")?;
            (self.int_binary("lshr", &ty, &own[1], &amount)?, self.int_binary("shl", &ty, &half, &inverse)?)
        };
        Ok(Some(self.int_binary("or", &ty, &first, &second)?))
    }

    fn saturating(&mut self, base: &str, bits: u32, class: Class, own: &[String]) -> Result<String, Error> {
        let ty = Type::Int(bits);
        let (sum, over) =
            self.with_overflow(&base[..4], &ty, own)?.ok_or_else(|| self.our_fault("nothing saturates"))?;
        let limit = match base {
            "uadd.sat" => "-1".to_owned(),
            "usub.sat" => "0".to_owned(),
            _ => {
                // The limit has the sign of the first.
                let shift = (bits - 1).to_string();
                let sign = self.int_binary("ashr", &ty, &own[0], &shift)?;
                let most = number((1u64 << (bits - 1)) - 1, class.bits());
                self.int_binary("xor", &ty, &sign, &most)?
            }
        };
        Ok(self.choose(class, &over, &limit, &sum))
    }

    /// A result, and whether it does not fit.
    pub(super) fn with_overflow(
        &mut self,
        op: &str,
        ty: &Type,
        own: &[String],
    ) -> Result<Option<(String, String)>, Error> {
        let Type::Int(bits) = *ty else { return Ok(None) };
        let class = self.class(ty)?;
        if class == Class::Pred {
            return Ok(None);
        }
        let (a, b) = (&own[0], &own[1]);
        Ok(Some(match op {
            "uadd" => {
                let sum = self.int_binary("add", ty, a, b)?;
                let over = self.compare_ints("ult", ty, &sum, a)?;
                (sum, over)
            }
            "usub" => {
                let difference = self.int_binary("sub", ty, a, b)?;
                let under = self.compare_ints("ult", ty, a, b)?;
                (difference, under)
            }
            "sadd" | "ssub" => {
                let made = self.int_binary(&op[1..], ty, a, b)?;
                // It overflows where the result's sign is not that which both have, or the first has.
                let x = self.int_binary("xor", ty, &made, a)?;
                let y = if op == "sadd" {
                    self.int_binary("xor", ty, &made, b)?
                } else {
                    self.int_binary("xor", ty, a, b)?
                };
                let both = self.int_binary("and", ty, &x, &y)?;
                let over = self.compare_ints("slt", ty, &both, "0")?;
                (made, over)
            }
            "umul" | "smul" => {
                let signed = op == "smul";
                let sign = if signed { 's' } else { 'u' };
                let x = self.extend(a, ty, class, signed);
                let y = self.extend(b, ty, class, signed);
                let x = self.in_register(class, &x);
                let width = class.bits();
                let low = self.make(class, &format!("mul.lo.s{width}"), &[&x, &y]);
                let high = self.make(class, &format!("mul.hi.{sign}{width}"), &[&x, &y]);
                let word = Type::Int(width);
                if bits != width {
                    // The whole product fits into the register.
                    let fitting = self.extend(&low, ty, class, signed);
                    let over = self.compare_ints("ne", &word, &low, &fitting)?;
                    if bits * 2 > width {
                        return Ok(None);
                    }
                    return Ok(Some((low, over)));
                }
                let expected =
                    if signed { self.int_binary("ashr", &word, &low, &(width - 1).to_string())? } else { "0".into() };
                let over = self.compare_ints("ne", &word, &high, &expected)?;
                (low, over)
            }
            _ => return Ok(None),
        }))
    }
}
