//! Starts commands in turn, as a host starts hooks: with pipes, from a small process. Called as
//! `launch ROUNDS INPUT [NAME=VALUE…] PROGRAM ARGUMENT… -- INPUT PROGRAM …`; prints the number of the command, the nanoseconds
//! of every start, from before it until the program has ended and everything it said was read, and the microseconds of
//! processor time that it and its children took.

use std::{
    env,
    error::Error,
    fs,
    io::{ErrorKind, Write},
    process::{Command, Stdio},
    time::Instant,
};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = env::args().skip(1).collect();
    let (rounds, rest) = words.split_first().ok_or("expected a number of rounds")?;
    let rounds: usize = rounds.parse()?;
    let mut commands = Vec::new();
    for command in rest.split(|word| word == "--") {
        let (input, words) = command.split_first().ok_or("expected INPUT PROGRAM")?;
        let count = words.iter().take_while(|word| word.contains('=')).count();
        let (settings, words) = words.split_at(count);
        let (program, arguments) = words.split_first().ok_or("expected INPUT PROGRAM")?;
        commands.push((fs::read(input)?, settings, program, arguments));
    }
    let mut report = String::new();
    for _ in 0..rounds {
        for (number, (input, settings, program, arguments)) in commands.iter().enumerate() {
            let mut command = Command::new(program);
            command.args(*arguments).envs(settings.iter().filter_map(|word| word.split_once('=')));
            let before = processor_us();
            let nanoseconds = time(input, command)?;
            report += &format!("{number} {nanoseconds} {}\n", processor_us() - before);
        }
    }
    print!("{report}");
    Ok(())
}

fn time(input: &[u8], mut command: Command) -> Result<u128, Box<dyn Error>> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let start = Instant::now();
    let mut child = command.spawn()?;
    // A program that does not read its input may have ended before it comes.
    match child.stdin.take().map(|mut pipe| pipe.write_all(input)) {
        Some(Err(error)) if error.kind() != ErrorKind::BrokenPipe => return Err(error.into()),
        _ => {}
    }
    child.wait_with_output()?;
    Ok(start.elapsed().as_nanos())
}

/// `struct rusage`: user time and system time as seconds and microseconds, then what is of no interest here.
type Usage = [i64; 18];

unsafe extern "C" {
    fn getrusage(who: i32, usage: *mut Usage) -> i32;
}

/// Of all programs that were waited for.
fn processor_us() -> i64 {
    const CHILDREN: i32 = -1;
    let mut usage: Usage = [0; 18];
    // SAFETY: the array is as long as the structure on 64-bit systems, or longer.
    unsafe { getrusage(CHILDREN, &mut usage) };
    let [user_s, user_us, system_s, system_us, ..] = usage;
    (user_s + system_s) * 1_000_000 + user_us + system_us
}
