struct node {
    float value;
    struct node *next;
};

float linked_list(const struct node *p)
{
    float s = 0.0f;
    for (; p; p = p->next)
        s += p->value;
    return s;
}
