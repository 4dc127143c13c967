// The git adapter against git-http-backend over TLS: the contract.
import { gitContract } from "../../src/adapters/git/contract/suite.ts";
import { openGit } from "../../src/adapters/git/open-git.ts";
import { openProcessRunner } from "../../src/adapters/process/runner.ts";
import { systemTimers } from "../../src/kernel/timers.ts";
import { startGitRemote } from "../gitops/git-remote.ts";

const timers = systemTimers;

gitContract(
  "the program git",
  async (options) => await openGit({ runner: openProcessRunner({ timers }), timers }, options),
  startGitRemote,
);
