#!/usr/bin/env node
"use strict";
// git finds this on PATH as `git ferry`.
require("./ferry.js");
