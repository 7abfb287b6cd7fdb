//! Types of LLVM IR, and how they lie in memory on nvptx64.

/// A first-class type, with names of structures resolved.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Type {
    Void,
    /// An integer of so many bits.
    Int(u32),
    Half,
    BFloat,
    Float,
    Double,
    /// A pointer into an address space.
    Ptr(u32),
    Vector(u32, Box<Type>),
    Array(u64, Box<Type>),
    Struct {
        packed: bool,
        fields: Vec<Type>,
    },
    /// A type of a function: what it returns, its parameters, and whether more may follow.
    Function(Box<Type>, Vec<Type>, bool),
    Label,
    Metadata,
    /// A structure without a body.
    Opaque,
}

/// The least multiple of `align` from `value` on.
pub(crate) const fn round_up(value: u64, align: u64) -> u64 {
    value.div_ceil(align) * align
}

impl Type {
    /// Bytes that a value takes in memory, without padding behind it.
    pub(crate) fn store_size(&self) -> u64 {
        match self {
            Self::Int(bits) => u64::from(bits.div_ceil(8)),
            Self::Vector(count, element) => (u64::from(*count) * element.bits()).div_ceil(8),
            _ => self.size(),
        }
    }

    /// Bits of a scalar or vector.
    pub(crate) fn bits(&self) -> u64 {
        match self {
            Self::Int(bits) => u64::from(*bits),
            Self::Half | Self::BFloat => 16,
            Self::Float => 32,
            Self::Double | Self::Ptr(_) => 64,
            Self::Vector(count, element) => u64::from(*count) * element.bits(),
            _ => self.size() * 8,
        }
    }

    /// Bytes from one element of an array to the next.
    pub(crate) fn size(&self) -> u64 {
        match self {
            Self::Void | Self::Function(..) | Self::Label | Self::Metadata | Self::Opaque => 0,
            Self::Half | Self::BFloat => 2,
            Self::Float => 4,
            Self::Ptr(6) => 4,
            Self::Double | Self::Ptr(_) => 8,
            Self::Int(_) | Self::Vector(..) => round_up(self.store_size(), self.align()),
            Self::Array(count, element) => count.saturating_mul(element.size()),
            Self::Struct { packed, fields } => {
                let mut size = 0;
                for field in fields {
                    size = if *packed { size } else { round_up(size, field.align()) } + field.size();
                }
                round_up(size, self.align())
            }
        }
    }

    /// The alignment that nvptx64's data layout gives it.
    pub(crate) fn align(&self) -> u64 {
        match self {
            Self::Void | Self::Function(..) | Self::Label | Self::Metadata | Self::Opaque => 1,
            Self::Half | Self::BFloat => 2,
            Self::Float => 4,
            Self::Ptr(6) => 4,
            Self::Double | Self::Ptr(_) => 8,
            Self::Int(bits) => u64::from(bits.div_ceil(8)).next_power_of_two().min(16),
            Self::Vector(..) => self.store_size().max(1).next_power_of_two(),
            Self::Array(_, element) => element.align(),
            Self::Struct { packed, fields } => {
                if *packed {
                    1
                } else {
                    fields.iter().map(Self::align).max().unwrap_or(1)
                }
            }
        }
    }

    /// Where a field of a structure begins.
    pub(crate) fn field_offset(&self, index: usize) -> u64 {
        let Self::Struct { packed, fields } = self else { return 0 };
        let mut at = 0;
        for (number, field) in fields.iter().enumerate() {
            if !packed {
                at = round_up(at, field.align());
            }
            if number == index {
                break;
            }
            at += field.size();
        }
        at
    }

    /// The scalars that a value consists of, with their byte offsets.
    pub(crate) fn scalars(&self) -> Vec<(Type, u64)> {
        let mut all = Vec::new();
        self.push_scalars(0, &mut all);
        all
    }

    fn push_scalars(&self, at: u64, all: &mut Vec<(Type, u64)>) {
        match self {
            Self::Vector(count, element) => {
                let bits = element.bits();
                for index in 0..u64::from(*count) {
                    element.push_scalars(at + index * bits / 8, all);
                }
            }
            Self::Array(count, element) => {
                for index in 0..*count {
                    element.push_scalars(at + index * element.size(), all);
                }
            }
            Self::Struct { fields, .. } => {
                for (index, field) in fields.iter().enumerate() {
                    field.push_scalars(at + self.field_offset(index), all);
                }
            }
            Self::Void => {}
            // Wide integers are two registers.
            Self::Int(65..=128) => {
                all.push((Self::Int(64), at));
                all.push((Self::Int(64), at + 8));
            }
            _ => all.push((self.clone(), at)),
        }
    }

    /// How many scalars a value consists of.
    pub(crate) fn scalar_count(&self) -> usize {
        match self {
            Self::Vector(count, element) => *count as usize * element.scalar_count(),
            Self::Int(65..=128) => 2,
            Self::Array(count, element) => *count as usize * element.scalar_count(),
            Self::Struct { fields, .. } => fields.iter().map(Self::scalar_count).sum(),
            Self::Void => 0,
            _ => 1,
        }
    }

    /// The part that an index of `extractvalue` names: its type, and how many scalars stand before it.
    pub(crate) fn part(&self, index: u64) -> Option<(&Type, usize)> {
        match self {
            Self::Array(count, element) if index < *count => Some((element, index as usize * element.scalar_count())),
            Self::Vector(count, element) if index < u64::from(*count) => Some((element, index as usize)),
            Self::Struct { fields, .. } => {
                let before = fields.iter().take(index as usize).map(Self::scalar_count).sum();
                Some((fields.get(index as usize)?, before))
            }
            _ => None,
        }
    }

    /// Whether it is one of the floating-point types.
    pub(crate) const fn is_float(&self) -> bool {
        matches!(self, Self::Half | Self::BFloat | Self::Float | Self::Double)
    }

    /// The element of a vector, else the type itself.
    pub(crate) fn scalar(&self) -> &Type {
        match self {
            Self::Vector(_, element) => element,
            _ => self,
        }
    }

    /// As LLVM IR writes it, for messages.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Void => "void".into(),
            Self::Int(bits) => format!("i{bits}"),
            Self::Half => "half".into(),
            Self::BFloat => "bfloat".into(),
            Self::Float => "float".into(),
            Self::Double => "double".into(),
            Self::Ptr(0) => "ptr".into(),
            Self::Ptr(space) => format!("ptr addrspace({space})"),
            Self::Vector(count, element) => format!("<{count} x {}>", element.name()),
            Self::Array(count, element) => format!("[{count} x {}]", element.name()),
            Self::Struct { fields, .. } => {
                format!("{{ {} }}", fields.iter().map(Self::name).collect::<Vec<_>>().join(", "))
            }
            Self::Function(..) => "a function type".into(),
            Self::Label => "label".into(),
            Self::Metadata => "metadata".into(),
            Self::Opaque => "an opaque type".into(),
        }
    }
}
