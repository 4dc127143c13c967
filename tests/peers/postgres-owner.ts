// A process that owns a server and does nothing: postgres.test.ts kills it.
import { startPostgres } from "./postgres.ts";

const server = await startPostgres();
if (process.argv[2] === "paused") server.pause();
console.log(`pid ${server.pid} folder ${server.folder}`);
setInterval(() => undefined, 60_000);
