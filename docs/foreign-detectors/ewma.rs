//! Two subflows share where their delays move together. Event lines in, verdict lines out.
use std::io::{stdin, BufRead};

fn main() {
    let (mut order, mut d, mut mean, mut var) = (Vec::<u32>::new(), [0.0; 2], [0.0; 2], [0.0; 2]);
    let (mut both, mut samples, mut said) = (0.0_f64, 0, -1);
    for line in stdin().lock().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split(' ').collect();
        let ["smartsbd:", ns, token, sf, "V=RTT", rtt] = words[..] else { continue };
        let (Some(Ok(sf)), Ok(rtt)) = (sf.strip_prefix("SF=").map(str::parse), rtt.parse()) else { continue };
        if !order.contains(&sf) && order.len() < 2 {
            order.push(sf);
        }
        let Some(i) = order.iter().position(|&own| own == sf) else { continue };
        d[i] = rtt;
        if order.len() < 2 {
            continue;
        }
        let mut x = [0.0; 2];
        for i in 0..2 {
            mean[i] = if samples == 0 { d[i] } else { mean[i] + (d[i] - mean[i]) / 512.0 };
            x[i] = d[i] - mean[i];
            var[i] += (x[i] * x[i] - var[i]) / 512.0;
        }
        both += (x[0] * x[1] - both) / 512.0;
        let high = i32::from(both > 0.0 && both * both > 0.25 * var[0] * var[1]); // a correlation above a half
        samples += 1;
        if samples >= 1000 && high != said {
            said = high;
            println!("smartsbd: {ns} {token} SF={},{} V=SHARED {said}", order[0].min(order[1]), order[0].max(order[1]));
        }
    }
}
