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
import type { Field, OperationTables, ParsedCall, Program } from "../model/program.ts";
import { runInterpreterCode } from "../model/run-code.ts";
import { stdinOf } from "./file-access.ts";
import { followUnreadCode } from "./other-languages.ts";

const OPERATIONS: OperationTables = {
  "db.reset": `
    rake|rails …db:drop|db:drop:*|db:reset|db:purge|db:truncate_all|db:migrate:reset|db:schema:load | empty the database
        | safer rails db:migrate:status
    mix ecto.rollback | undo every migration | needs all | safer mix ecto.migrations
    mix ash.reset|ash_postgres.drop | empty the database | safer mix ecto.migrations
    mix do …ecto.drop|ecto.drop,|ecto.reset|ecto.reset, | empty the database | safer mix ecto.migrations
    artisan schema:drop | empty the database | safer php artisan migrate:status
    mikro-orm schema:drop|schema:fresh|migration:fresh|database:drop | empty the database | safer mikro-orm
        migration:list
    supabase db reset | empty the database | safer supabase db diff
    migrate …drop | drop everything in the database
    migrate …down | undo every migration | needs all
    ace migration:fresh|migration:reset|migration:refresh|db:wipe | empty the database | safer node ace
        migration:status
    wp site empty | delete every post | safer wp post list
    encore db reset | empty the database | safer encore db uri
    hanami db drop | drop the database | safer hanami db version
    aerich downgrade | undo migrations | needs v=0 version=0 | safer aerich history
    piccolo migrations backwards * all | undo every migration | safer piccolo migrations check
    hasura metadata clear | forget the metadata | safer hasura metadata diff
    neonctl|neon|pscale|planetscale …delete | delete a database or branch
    `,
};

/** Commands of frameworks whose words hold code of the application, and what else empties its database. */
export const frameworks: Field = {
  programs: () => [
    runner("rails", "ruby", "runner r", { input: "console c", values: "-e environment" }),
    runner("manage.py django-admin", "python", "", {
      code: "c command",
      input: "shell shell_plus",
      values: "settings pythonpath database i interface",
      sql: "dbshell",
    }),
    runner("artisan", "php", "", { code: "execute", input: "tinker", values: "env" }),
    {
      names: "mix",
      is: ["readsNothing"],
      options: { values: "e|eval r|require", flags: "all quiet force", abbreviates: false },
      run: runMix,
    },
    { names: "sail", options: { stopsAtOperand: true }, run: runSail },
  ],
  operations: OPERATIONS,
  isFreeInTests: true,
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
    is: ["readsNothing"],
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
        for (const one of stdinOf(call)) runInterpreterCode(language, one, [], call, { from: "stdin" });
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
