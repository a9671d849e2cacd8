//! `amplihack-bytecode FOLDER`: for every `NAME.js` in the folder writes `NAME.bc`.

use rquickjs::{
    CatchResultExt, Context, Ctx, Error, Module, Result as JsResult, Runtime, WriteOptions,
    loader::{ImportAttributes, Loader, Resolver},
    module::Declared,
};
use std::{
    env,
    error::Error as StdError,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

/// The modules import each other by file name; the engine wants to see them while it compiles.
struct Folder(PathBuf);

impl Resolver for Folder {
    fn resolve<'js>(
        &mut self,
        _: &Ctx<'js>,
        _: &str,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> JsResult<String> {
        Ok(name.trim_start_matches("./").trim_end_matches(".js").to_owned())
    }
}

impl Loader for Folder {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> JsResult<Module<'js, Declared>> {
        let source = fs::read(self.0.join(format!("{name}.js"))).map_err(|_| Error::new_loading(name))?;
        Module::declare(ctx.clone(), name, source)
    }
}

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

fn compile_folder(folder: &Path) -> Result<usize, Box<dyn StdError>> {
    let mut count = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "js") {
            continue;
        }
        let name = path.file_stem().and_then(|stem| stem.to_str()).ok_or("file name is not UTF-8")?;
        fs::write(path.with_extension("bc"), compile(folder, name)?)?;
        count += 1;
    }
    Ok(count)
}

/// Each in an engine of its own, so that no module is declared twice.
fn compile(folder: &Path, name: &str) -> Result<Vec<u8>, Box<dyn StdError>> {
    let runtime = Runtime::new()?;
    runtime.set_loader(Folder(folder.to_owned()), Folder(folder.to_owned()));
    let context = Context::full(&runtime)?;
    let bytes = context.with(|ctx| {
        Folder(folder.to_owned())
            .load(&ctx, name, None)
            .and_then(|module| module.write(WriteOptions { strip_source: true, strip_debug: true, ..Default::default() }))
            .catch(&ctx)
            .map_err(|error| format!("{name}: {error}"))
    })?;
    Ok(bytes)
}
