// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! Whatever comes, nothing overflows and nothing panics: built with checks of overflow.

mod draw;

use smartsbd::{
    Coupling, Group4, Group5, Joint, Mode, Pair, Path, Rule, Verdict, Window, lia_acks, mixed_acks,
    theta_q10,
};

use draw::Draw;

fn runs() -> u64 {
    std::env::var("SMARTSBD_RUNS").map_or(30, |runs| runs.parse().expect("a number"))
}

#[test]
fn any_samples_at_any_times_are_judged_without_overflow() {
    let mut judgements = 0;
    for seed in 1..=runs() {
        let mut draw = Draw(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let rule = Rule {
            holds: seed % 2 == 0,
            flips: seed % 3 != 0,
            needs_queues: seed % 5 != 0,
        };
        let mut pair = Pair::with_rule(rule);
        let mut now_ns = if seed % 7 == 0 {
            draw.of_any_size()
        } else {
            draw.below(1 << 60)
        };
        let wild = seed % 4 == 0;
        // A first RTT of 0 or 1 µs makes the steps the shortest, and the largest delays the farthest from it.
        let base_us = [0, 1, 300, 20_000, 500_000, u64::from(u32::MAX)][draw.below(6) as usize];
        let spread_us = 1 << draw.below(26);
        let gap_ns = 1 << (14 + draw.below(14));
        for sample in 0..4_000 {
            let jump = draw.below(1_500);
            now_ns = if wild && jump == 0 {
                draw.of_any_size()
            } else if jump < 4 {
                now_ns.wrapping_add(draw.of_any_size() >> 20)
            } else if jump < 500 {
                now_ns
            } else {
                now_ns.wrapping_add(draw.below(gap_ns))
            };
            let rtt_us = match draw.below(200) {
                0 => u32::MAX,
                1 => 0,
                _ => (base_us + draw.below(spread_us)).min(u64::from(u32::MAX)) as u32,
            };
            // Long stretches of a single path: the other is silent.
            let path = if sample / 500 % 4 == 3 || draw.below(2) == 0 {
                Path::A
            } else {
                Path::B
            };
            pair.on_rtt_each(path, now_ns, rtt_us, |_| judgements += 1);
        }
        judgements += u64::from(pair.finish(u64::MAX).is_some());
    }
    assert!(judgements > 10 * runs());
}

#[test]
fn many_samples_of_the_largest_delay_after_the_smallest_overflow_nothing() {
    let mut pair = Pair::new();
    let mut judged = 0;
    let mut now_ns = 0;
    // Ten samples of 1 µs, then 16 s: the mean is as far from the start as it can be, in every block.
    for sample in 0..600_000u64 {
        let path = if sample % 2 == 0 { Path::A } else { Path::B };
        let rtt_us = if sample < 24 { 1 } else { u32::MAX };
        // A step is 62 ns: a block has 16 µs, and at most that many samples at times of their own.
        now_ns += 1;
        judged += u32::from(pair.on_rtt(path, now_ns, rtt_us).is_some());
    }
    assert!(judged > 20);
}

#[test]
fn times_that_run_backwards_count_as_the_last() {
    let feed = |back_ns: u64| {
        let mut pair = Pair::new();
        let mut judgements = Vec::new();
        for sample in 0..20_000u64 {
            let path = if sample % 2 == 0 { Path::A } else { Path::B };
            let now_ns = sample / 3 * 3_000_000;
            let rtt_us = 20_000 + (sample * sample % 977) as u32 * 30;
            let told_ns = if sample % 3 == 2 {
                now_ns.saturating_sub(back_ns)
            } else {
                now_ns
            };
            pair.on_rtt_each(path, told_ns, rtt_us, |judgement| {
                judgements.push(*judgement)
            });
        }
        judgements
    };
    assert!(!feed(0).is_empty());
    assert_eq!(feed(0), feed(70_000_000));
}

#[test]
fn groups_of_any_samples_are_consistent() {
    let mut group = Box::new(Group5::new());
    let mut draw = Draw(7);
    let (mut judged, mut queue_us) = (0, 0);
    for sample in 0..20_000u64 {
        queue_us = (queue_us + draw.below(2_001))
            .saturating_sub(1_000)
            .min(60_000);
        for path in 0..5 {
            // Paths 0 to 2 meet one queue.
            let delay_us = if path < 3 {
                queue_us
            } else {
                draw.below(60_000)
            };
            let rtt_us = (20_000 + delay_us + draw.below(500)) as u32;
            judged +=
                u32::from(group.on_rtt(path, sample * 2_000_000 + path as u64 * 1_000, rtt_us));
        }
    }
    assert!(judged > 50);
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        assert_eq!(group.relation(i, j), smartsbd::Relation::Together);
        assert_eq!(group.pair(i, j).verdict(), Verdict::Shared);
    }
    assert_ne!(group.relation(0, 3), smartsbd::Relation::Together);
}

#[test]
fn any_windows_grow_between_lia_and_reno() {
    let mut draw = Draw(11);
    for _ in 0..100_000 {
        let windows: [Window; 4] = std::array::from_fn(|_| Window {
            cwnd: draw.of_any_size() as u32 >> draw.below(32),
            srtt_8us: draw.of_any_size() as u32 >> draw.below(32),
        });
        let (score_q10, epsilon_q10) = (draw.of_any_size() as i32, draw.below(1_100) as u32);
        let mode = match draw.below(4) {
            0 => Mode::Lia,
            1 => Mode::Uncoupled,
            2 => Mode::Verdicts,
            _ => Mode::Odds { epsilon_q10 },
        };
        let mut coupling = Coupling::<4>::new(mode);
        coupling.note(draw.below(2) as usize, 2, Verdict::Apart, score_q10);
        coupling.note(3, draw.below(3) as usize, Verdict::NoQueue, score_q10);
        for path in 0..4 {
            let acked = draw.of_any_size() as u32;
            // Windows of 2^20 and more count as the largest below.
            let reno = windows[path].cwnd.min((1 << 20) - 1);
            assert!(coupling.acks(path, &windows) >= reno);
            assert!(coupling.on_ack(path, acked, &windows) <= acked.saturating_add(1));
        }
        let acks = lia_acks(&windows, windows[0].cwnd);
        let share_q10 = theta_q10(score_q10, epsilon_q10, draw.next() as u32);
        let mixed = mixed_acks(acks, windows[0].cwnd, share_q10);
        assert!(mixed <= acks.max(1));
    }
}

#[test]
fn what_is_left_over_counts_for_the_next() {
    let windows = [Window::new(10, 100_000); 2];
    let mut coupling = Coupling::<2>::new(Mode::Lia);
    let grown: u32 = (0..40).map(|_| coupling.on_ack(0, 1, &windows)).sum();
    assert_eq!(grown, 1);
}

#[test]
fn a_group_is_its_pairs_and_their_joint_partition() {
    let mut group = Box::new(Group4::new());
    let mut pairs = vec![vec![Pair::new(); 4]; 4];
    let mut joint = Joint::new(4);
    let mut draw = Draw(13);
    let (mut queue_us, mut judged) = (0, 0);
    for sample in 0..40_000u64 {
        queue_us = (queue_us + draw.below(2_001))
            .saturating_sub(1_000)
            .min(60_000);
        let path = draw.below(4) as usize;
        let delay_us = if path < 2 {
            queue_us
        } else {
            draw.below(20_000)
        };
        let (now_ns, rtt_us) = (sample * 700_000, (20_000 + delay_us) as u32);
        let mut any = false;
        for other in (0..4).filter(|&other| other != path) {
            let (lower, higher) = (path.min(other), path.max(other));
            let which = if path == lower { Path::A } else { Path::B };
            if let Some(judgement) = pairs[lower][higher].on_rtt(which, now_ns, rtt_us) {
                let speaks = judgement.evidence.speaks();
                let score_q10 = if speaks { judgement.score_q10 } else { 0 };
                joint.note(lower, higher, judgement.verdict, score_q10);
                any = true;
            }
        }
        if any {
            joint.judge();
            judged += 1;
        }
        assert_eq!(group.on_rtt(path, now_ns, rtt_us), any);
        for (i, j) in [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)] {
            assert_eq!(group.relation(i, j), joint.relation(i, j));
            assert_eq!(group.relation(j, i), joint.relation(i, j));
        }
    }
    assert!(judged > 100);
}
