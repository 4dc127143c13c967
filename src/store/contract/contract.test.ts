/** The suite is code too: it runs against the model, which is the contract as a program. */
import { openModel } from "./model-harness.ts";
import { randomContract } from "./random.ts";
import { storeContract } from "./suite.ts";

storeContract("the model", openModel, { several: false, sealed: false, bounded: false });
randomContract("the model", openModel, { runs: 20 });
