// The index in its thread keeps the promises of its port.
import { textIndexContract } from "../../src/adapters/text-index/contract/suite.ts";
import { openTextIndex } from "../../src/adapters/text-index/index-thread.ts";

textIndexContract("the text index of SQLite", openTextIndex);
