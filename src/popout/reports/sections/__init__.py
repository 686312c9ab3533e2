"""The sections of a report on a task: one module each, with numbers, picture and caption."""
