import {
  describe,
  knownText,
  type Language,
  type OptionGrammar,
  type Output,
  runInner,
  text,
  unknownOutput,
  type Value,
  wordAt,
  words,
} from "../../shell/index.ts";
import { commands, type Field, type ParsedCall, type Program, program } from "../model/program.ts";
import { runInterpreterCode } from "../model/run-code.ts";
import { knownStdin } from "./file-access.ts";
import { followUnreadCode } from "./other-languages.ts";

/** Commands of frameworks whose words hold code of the application, and what else empties its database. */
export const frameworks: Field = {
  programs: () => [
    {
      ...runner("rails", "ruby", "runner r", { input: "console c", values: "-e environment" }),
      operations: [
        "db.reset db:drop|db:drop:*|db:reset|db:schema:load|db:structure:load|db:purge|db:purge:*|db:truncate_all|db:migrate:reset|db:seed:replant | empty the database | safer rails db:migrate:status | stops rake db:drop",
        "db.reset …db:drop|db:drop:*|db:reset|db:purge|db:truncate_all|db:migrate:reset|db:schema:load | empty the database | safer rails db:migrate:status | stops rake db:drop",
      ],
    },
    {
      ...runner("manage.py django-admin", "python", "", {
        code: "c command",
        input: "shell shell_plus",
        values: "settings pythonpath database i interface",
        sql: "dbshell",
      }),
      operations: [
        "db.reset flush|reset_db|sqlflush|reset_schema | empty the database | safer python manage.py showmigrations | stops manage.py flush",
        "db.reset migrate * zero | undo every migration | safer python manage.py showmigrations | stops manage.py migrate x zero",
      ],
    },
    {
      ...runner("artisan", "php", "", { code: "execute", input: "tinker", values: "env" }),
      operations: [
        "db.reset migrate:fresh|migrate:reset|migrate:refresh|db:wipe | empty the database | safer php artisan migrate:status | stops artisan migrate:fresh",
        "db.reset schema:drop | empty the database | safer php artisan migrate:status | stops artisan schema:drop",
      ],
    },
    program("mix", "readsNothing runsTasks", {
      options: { values: "e|eval r|require", flags: "all quiet force", abbreviates: false },
      run: runMix,
      operations: [
        "publish hex.publish | publish a package to everybody | safer mix hex.build | stops mix hex.publish",
        "db.reset ecto.drop|ecto.reset | empty the database | safer mix ecto.migrations | stops mix ecto.drop",
        "db.reset ecto.rollback | undo every migration | needs all | safer mix ecto.migrations | stops mix ecto.rollback --all",
        "db.reset ash.reset|ash_postgres.drop | empty the database | safer mix ecto.migrations | stops mix ash.reset",
        "db.reset do …ecto.drop|ecto.drop,|ecto.reset|ecto.reset, | empty the database | safer mix ecto.migrations | stops mix do ecto.drop",
      ],
    }),
    program("sail", "", { options: { stopsAtOperand: true }, run: runSail }),
    commands([
      "pscale neonctl neon: grant.access …password|role|token|roles create | make a password | stops pscale password create web | passes pscale password list web",
      "mikro-orm: db.reset schema:drop|schema:fresh|migration:fresh|database:drop | empty the database | safer mikro-orm migration:list | stops mikro-orm schema:drop",
      "migrate: db.reset …drop | drop everything in the database | stops migrate thing drop | passes migrate thing list web",
      "migrate: db.reset …down | undo every migration | needs all | stops migrate thing down --all | passes migrate thing down web",
      "ace: db.reset migration:fresh|migration:reset|migration:refresh|db:wipe | empty the database | safer node ace migration:status | stops ace migration:fresh",
      "encore: db.reset db reset | empty the database | safer encore db uri | stops encore db reset",
      "hanami: db.reset db drop | drop the database | safer hanami db version | stops hanami db drop",
      "aerich: db.reset downgrade | undo migrations | needs v=0 version=0 | safer aerich history | stops aerich downgrade -v 0",
      "piccolo: db.reset migrations backwards * all | undo every migration | safer piccolo migrations check | stops piccolo migrations backwards x all",
      "neonctl neon pscale planetscale: db.reset …delete | delete a database or branch | stops neonctl thing delete | passes neonctl thing list web",
    ]),
  ],
};

interface CodeWords {
  /** Options that hold code. */
  readonly code?: string;
  /** Subcommands that read code on their input. */
  readonly input: string;
  readonly values?: string;
  /** A subcommand that reads SQL on its input. */
  readonly sql?: string;
}

/** `subcommands` have code behind them: `rails runner CODE`. */
function runner(names: string, language: Language, subcommands: string, takes: CodeWords): Program {
  const options: OptionGrammar = { values: `${takes.code ?? ""} ${takes.values ?? ""}`, abbreviates: false };
  return {
    names,
    is: ["readsNothing", "runsTasks"],
    options,
    run(call) {
      const [subcommand = text(""), code] = call.operands;
      const name = knownText(subcommand) ?? "";
      const isInput = words(takes.input).includes(name);
      const given = isInput ? call.options.valuesOf(...words(takes.code ?? "")) : [];
      const behind = code !== undefined && words(subcommands).includes(name) ? [code] : [];
      for (const one of [...given, ...behind])
        runInterpreterCode(language, one, [], call, { from: "argument" });
      if (isInput && given.length === 0)
        for (const one of knownStdin(call)) runInterpreterCode(language, one, [], call, { from: "stdin" });
      if (name === takes.sql) runInner([text("psql")], call);
      return [unknownOutput(call)];
    },
  };
}

function runMix(call: ParsedCall): Output {
  for (const code of call.options.valuesOf("e")) followUnreadCode(knownText(code) ?? "", call);
  return [unknownOutput(call)];
}

/** `sail artisan …`, `sail php …`: the rest is a program in the container of the project. */
function runSail(call: ParsedCall): Output {
  return call.operands.length === 0 ? [unknownOutput(call)] : runInner(call.operands, call);
}

/** `python manage.py …`, `php artisan …`, `node ace …` start the program that the script is. */
export function scriptProgram({ argv }: ParsedCall): readonly Value[] | undefined {
  const name = /(?:^|\/)(manage\.py|artisan|console|ace)$/.exec(describe(wordAt(argv, 1)))?.[1];
  return name === undefined ? undefined : [text(name), ...argv.slice(2)];
}
