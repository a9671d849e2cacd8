/**
 * Inline code of other languages: text becomes calls with values. One tree, one evaluator and one table of library
 * functions for each language. Pure, and bounded in work.
 */
export { readMongo } from "./languages/mongo.ts";
export { readRedis, scriptEmptiesStore } from "./languages/redis.ts";
export { findDialect, readSql, type SqlLoss } from "./languages/sql.ts";
export { isTakenForModule, readPlainPython } from "./plain/python.ts";
export { readCode } from "./read-code.ts";
