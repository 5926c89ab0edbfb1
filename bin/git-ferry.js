#!/usr/bin/env node
// git finds this on PATH as `git ferry`.
import "./ferry.js";
