// The embedded store keeps the contract, on one thread and in memory, where a store opens in a
// millisecond. On threads and on files it takes half a minute: that is tests/store/sqlite.test.ts.
import { randomContract } from "../contract/random.ts";
import { storeContract } from "../contract/suite.ts";
import { openInline } from "./harness.ts";

storeContract("sqlite on one thread", openInline, { several: false, sealed: true, bounded: true });
randomContract("sqlite on one thread", openInline, { runs: 10 });
