/** The suite is code too: it runs against the model, which is the contract as a program. */
import { openModel } from "./model-harness.ts";
import { randomContract } from "./random.ts";
import { storeContract } from "./suite.ts";

const { SETPOINT_RUNS: runs = "100", SETPOINT_SEED: seed } = process.env;

storeContract("the model", openModel, { several: false, sealed: false, bounded: false });
randomContract("the model", openModel, {
  runs: Number(runs),
  seed: seed === undefined ? undefined : Number(seed),
});
