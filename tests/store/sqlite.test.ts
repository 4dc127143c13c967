/** The whole store contract and the comparison with the model, on files and in threads. */
import { randomContract } from "../../src/store/contract/random.ts";
import { storeContract } from "../../src/store/contract/suite.ts";
import { openOnFile } from "../../src/store/sqlite/harness.ts";

storeContract("sqlite", openOnFile, { several: false, sealed: true, bounded: true });
randomContract("sqlite", openOnFile, { runs: 15 });
