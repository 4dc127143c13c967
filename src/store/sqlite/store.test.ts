// The embedded store keeps the contract. All of it runs on one thread and in memory, where a store
// opens in a millisecond; what depends on threads and the disk runs on those as well. The whole
// contract on threads takes a minute, so it is not a unit test.
import { describe } from "node:test";
import { concurrencyContract } from "../contract/concurrency.ts";
import { durabilityContract } from "../contract/durability.ts";
import { randomContract } from "../contract/random.ts";
import { storeContract } from "../contract/suite.ts";
import { openInline, openOnFile } from "./harness.ts";

const traits = { several: false, sealed: true, bounded: true };

storeContract("sqlite on one thread", openInline, traits);
randomContract("sqlite on one thread", openInline, { runs: 10 });

describe("sqlite in threads keeps the store contract", () => {
  describe("concurrency", () => concurrencyContract(openOnFile, traits));
  describe("durability", () => durabilityContract(openOnFile));
});
