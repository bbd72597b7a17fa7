"""Reports: tables for the terminal and figures for the eye, made from results."""
