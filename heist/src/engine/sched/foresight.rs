//! Whether a look pays that nobody owes.
//!
//! Where tasks write to each other, what is queued has mostly made others ready by the time that it has run (I16); where they answer
//! somebody else, who takes a while, a look finds nothing, and costs a tenth of a short request. Which it is, the last looks tell.
//!
//! The same holds of [looking around](crate::engine::base::spin) for what others push: whom only the reactor wakes does it for
//! nothing, and the account of all that is spun in vain would allow it another tenth.

/// So many looks in a row are for nothing before most chances are passed up.
const PATIENCE: u32 = 2;
/// One chance in so many is taken then.
const RARELY: u32 = 16;

#[derive(Debug, Default)]
pub(super) struct Foresight {
    /// Looks in a row that found nothing, and chances passed up since.
    in_vain: u32,
}

impl Foresight {
    /// There is a chance to look: whether to take it.
    pub(super) fn takes_chance(&mut self) -> bool {
        if self.in_vain < PATIENCE {
            return true;
        }
        self.in_vain = self.in_vain.wrapping_add(1);
        self.in_vain.is_multiple_of(RARELY)
    }

    /// It was taken, and this is what came of it.
    pub(super) fn learn(&mut self, found: bool) {
        self.in_vain = match found {
            true => 0,
            false => self.in_vain.wrapping_add(1),
        };
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;

    /// How many of so many chances are taken, if all looks find that.
    fn taken(foresight: &mut Foresight, chances: u32, found: bool) -> u32 {
        let mut taken = 0;
        for _ in 0..chances {
            if foresight.takes_chance() {
                taken += 1;
                foresight.learn(found);
            }
        }
        taken
    }

    #[test]
    fn looks_that_find_something_are_followed_by_others() {
        let mut foresight = Foresight::default();
        assert_eq!(taken(&mut foresight, 100, true), 100);
        let rare = taken(&mut foresight, 1_000, false);
        assert!((50..100).contains(&rare), "{rare}");
        // It finds out that times have changed.
        let many = taken(&mut foresight, 1_000, true);
        assert!(many > 1_000 - RARELY, "{many}");
    }
}
