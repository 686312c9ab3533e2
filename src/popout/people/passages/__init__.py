"""First passages: when the log likelihood ratio of presence reaches two thresholds.

=====================  ==========================================================================
`first_passages`       a table: decision times for every pair of thresholds
`passage_kernels`      compiled walks, for finite guidance
`serial_passages`      transforms in closed form, for serial attention
`reshuffled_passages`  tables for displays whose items change places
`reshuffled_kernels`   compiled walks for them, period by period
`stopping_rules`       rules of the paper where places differ in visibility, at every threshold
`rule_passages`        tables and compiled walks for them, by kind of display
`decision_times`       between the thresholds, guidances, periods and rates of the tables
`ideal_thresholds`     the best thresholds for a cost of time
`passage_tables`       tables on demand, kept in memory and on disk
=====================  ==========================================================================
"""
