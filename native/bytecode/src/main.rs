//! `amplihack-bytecode FOLDER`: for every `NAME.js` in the folder writes `NAME.bc`.

use rquickjs::{Context, Module, Runtime, WriteOptions};
use std::{env, error::Error, fs, path::Path, process::ExitCode};

fn main() -> ExitCode {
    let Some(folder) = env::args().nth(1) else {
        eprintln!("usage: amplihack-bytecode FOLDER");
        return ExitCode::from(2);
    };
    match compile_folder(Path::new(&folder)) {
        Ok(count) => {
            println!("{count} modules compiled");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("amplihack-bytecode: {error}");
            ExitCode::FAILURE
        }
    }
}

fn compile_folder(folder: &Path) -> Result<usize, Box<dyn Error>> {
    let runtime = Runtime::new()?;
    let context = Context::full(&runtime)?;
    let mut count = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "js") {
            continue;
        }
        let name = path.file_stem().and_then(|stem| stem.to_str()).ok_or("file name is not UTF-8")?;
        let source = fs::read(&path)?;
        // Only declared, not evaluated: what the modules import is not needed here.
        let bytes = context.with(|ctx| -> rquickjs::Result<Vec<u8>> {
            Module::declare(ctx, name, source)?.write(WriteOptions { strip_source: true, ..Default::default() })
        });
        fs::write(path.with_extension("bc"), bytes.map_err(|error| format!("{name}: {error}"))?)?;
        count += 1;
    }
    Ok(count)
}
