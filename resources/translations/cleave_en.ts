<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en">
<context>
    <name>cleave::views::Description</name>
    <message numerus="yes">
        <source>in-degree %1: %Ln node(s)</source>
        <translation>
            <numerusform>in-degree %1: %Ln node</numerusform>
            <numerusform>in-degree %1: %Ln nodes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>cleave::views::GraphPicture</name>
    <message numerus="yes">
        <source>%n op(s)</source>
        <translation>
            <numerusform>%n op</numerusform>
            <numerusform>%n ops</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>cleave::views::GraphScene</name>
    <message numerus="yes">
        <source>%n op(s)</source>
        <translation>
            <numerusform>%n op</numerusform>
            <numerusform>%n ops</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n save point(s)</source>
        <translation>
            <numerusform>%n save point</numerusform>
            <numerusform>%n save points</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>cleave::views::GraphView</name>
    <message numerus="yes">
        <source>%n band(s) are drawn more simply: Graphviz&apos;s dot is missing, failed, or took too long.</source>
        <translation>
            <numerusform>%n band is drawn more simply: Graphviz&apos;s dot is missing, failed, or took too long.</numerusform>
            <numerusform>%n bands are drawn more simply: Graphviz&apos;s dot is missing, failed, or took too long.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>cleave::views::MainWindow</name>
    <message numerus="yes">
        <source>%n more under Results.</source>
        <translation>
            <numerusform>%n more under Results.</numerusform>
            <numerusform>%n more under Results.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>cleave::views::PlanDrag</name>
    <message numerus="yes">
        <source>, with %n other op(s)</source>
        <translation>
            <numerusform>, with %n other op</numerusform>
            <numerusform>, with %n other ops</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>cleave::views::PlanEditor</name>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <translation>
            <numerusform>%1 and %n more</numerusform>
            <numerusform>%1 and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>cleave::views::ReadProgram</name>
    <message numerus="yes">
        <source>%n op(s)</source>
        <translation>
            <numerusform>%n op</numerusform>
            <numerusform>%n ops</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>cleave::views::ResultModels</name>
    <message numerus="yes">
        <source>%1 of %2 nodes were compared, by the whole model on their neighbourhoods of %n step(s): %3 nodes, %4 edges.</source>
        <translation>
            <numerusform>%1 of %2 nodes were compared, by the whole model on their neighbourhoods of %n step: %3 nodes, %4 edges.</numerusform>
            <numerusform>%1 of %2 nodes were compared, by the whole model on their neighbourhoods of %n steps: %3 nodes, %4 edges.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>cleave::views::StagedModel</name>
    <message numerus="yes">
        <source>%n node(s)</source>
        <translation>
            <numerusform>%n node</numerusform>
            <numerusform>%n nodes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s)</source>
        <translation>
            <numerusform>%n tensor</numerusform>
            <numerusform>%n tensors</numerusform>
        </translation>
    </message>
</context>
</TS>
