// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! Windows of any signals are built and judged without overflow: built with checks of it.

mod draw;

use smartsbd::{Feature, Features, PairWindows, Path, TREE_INVARIANT, TREE_PAPER, Verdict};

use draw::Draw;

fn runs() -> u64 {
    std::env::var("SMARTSBD_RUNS").map_or(20, |runs| runs.parse().expect("a number"))
}

#[test]
fn any_signals_at_any_times_make_windows_without_overflow() {
    let mut features = Features::new();
    let (mut judged, mut missed, mut refused) = (0, 0, 0);
    for seed in 1..=runs() {
        let mut draw = Draw(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut windows = PairWindows::new();
        let mut now_ns = draw.of_any_size() >> 3;
        let wild = seed % 4 == 0;
        let base_us = [1, 300, 20_000, 500_000, u64::from(u32::MAX)][draw.below(5) as usize];
        let spread_us = 1 << draw.below(32);
        let gap_ns = 1 << (10 + draw.below(24));
        for signal in 0..3_000 {
            now_ns = now_ns.saturating_add(match draw.below(1_000) {
                0 if wild => draw.of_any_size(),
                _ => draw.below(gap_ns),
            });
            // Some windows are missed.
            let decided = if draw.below(8) > 0 {
                windows.decide(now_ns)
            } else {
                None
            };
            if let Some(window) = decided {
                for tree in [&TREE_INVARIANT, &TREE_PAPER] {
                    let verdict = tree.judge(window, &mut features);
                    assert!(matches!(verdict, Verdict::Shared | Verdict::Apart));
                }
                for feature in Feature::ALL {
                    assert!(features.value(feature).abs() < 1 << 24, "{feature:?}");
                }
                judged += 1;
            }
            let path = if draw.below(2) == 0 { Path::A } else { Path::B };
            match draw.below(5) {
                0 => windows.on_ack(path, now_ns, draw.of_any_size()),
                1 => windows.on_state(path, now_ns, draw.below(2) == 0),
                _ => {
                    let rtt_us = base_us + draw.below(spread_us);
                    windows.on_rtt(path, now_ns, rtt_us.min(u32::MAX.into()) as u32);
                }
            }
            if signal % 500 == 0 {
                windows.on_rtt(path, 0, 1);
            }
        }
        while let Some(window) = windows.finish(now_ns) {
            TREE_PAPER.judge(window, &mut features);
            judged += 1;
        }
        missed += windows.missed();
        refused += windows.refused();
    }
    assert!(judged > 100, "{judged}");
    assert!(missed > 0 && refused > 0);
}

#[test]
fn what_cannot_be_has_no_effect_and_is_counted() {
    let mut windows = PairWindows::new();
    windows.on_rtt(Path::A, 10, 100);
    windows.on_rtt(Path::B, 9, 100);
    windows.on_ack(Path::B, 9, 100);
    windows.on_state(Path::B, 1 << 62, true);
    windows.on_rtt(Path::B, 10, 0);
    assert_eq!(windows.refused(), 4);
    assert!(windows.decide(9).is_none() && windows.finish(9).is_none());
    assert_eq!(windows.refused(), 6);
}

#[test]
fn values_are_as_small_as_the_documents_say() {
    assert!(size_of::<PairWindows>() < 14 << 10);
    assert!(size_of::<Features>() < 24 << 10);
}
