export { readMongo } from "./languages/mongo.ts";
export { readRedis } from "./languages/redis.ts";
export { dialectOf, readSql, type SqlLoss } from "./languages/sql/statements.ts";
export { readCode } from "./read-code.ts";
